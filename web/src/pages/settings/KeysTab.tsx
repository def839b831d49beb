import { Alert, Button, Code, CopyButton, Group, Modal, MultiSelect, Stack, Table, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import { api } from "~/api/client";
import { keysQuery } from "~/api/operationQueries";
import type { CreatedApiKey, ApiKey } from "~/api/types";
import { errorOf, Empty, ErrorPanel, RowsSkeleton, showProblem } from "~/components/feedback";
import { Time } from "~/components/Time";
import { TableHead } from "~/components/TableHead";

export function KeysTab({ isTeam }: { isTeam: boolean }) {
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const keys = useQuery({ ...keysQuery, enabled: isTeam });
  const revoke = useMutation({
    mutationFn: (id: string) => api.delete(`/api-keys/${id}`),
    onSuccess: () => client.invalidateQueries({ queryKey: ["api keys"] }),
    onError: showProblem,
  });
  if (!isTeam) return <NoKeyNeeded />;
  if (errorOf(keys)) return <ErrorPanel error={errorOf(keys)} onAgain={() => void keys.refetch()} />;
  if (!keys.data) return <RowsSkeleton />;
  const items = keys.data.items.filter((key) => key.revoked_at === null);
  return (
    <>
      <Group justify="flex-end" mb="sm">
        <Button leftSection={<Plus size={16} />} onClick={() => setOpen(true)}>
          New key
        </Button>
      </Group>
      <div className="card" style={{ overflowX: "auto" }}>
        {items.length === 0 ? (
          <Empty icon={<KeyRound aria-hidden />} title="No keys">
            A key lets a program use the API in your name, at most with the scopes you give it.
          </Empty>
        ) : (
          <KeyTable keys={items} onRevoke={(id) => revoke.mutate(id)} />
        )}
      </div>
      {isOpen && <NewKey onClose={() => setOpen(false)} />}
    </>
  );
}

function NewKey({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<string[]>(["read"]);
  const create = useMutation({
    mutationFn: () => api.post<CreatedApiKey>("/api-keys", { name, scopes }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["api keys"] }),
  });
  return (
    <Modal opened onClose={onClose} title="New API key">
      {create.data ? (
        <CreatedKey value={create.data.key} onClose={onClose} />
      ) : (
        <Stack>
          <TextInput
            data-autofocus
            label="Name"
            placeholder="Nightly import"
            required
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <MultiSelect label="Scopes" data={["read", "run", "write", "admin"]} value={scopes} onChange={setScopes} />
          {create.error && <ErrorPanel error={create.error} />}
          <Group justify="flex-end">
            <Button
              loading={create.isPending}
              disabled={!name.trim() || scopes.length === 0}
              onClick={() => create.mutate()}
            >
              Create
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

function KeyTable({ keys, onRevoke }: { keys: ApiKey[]; onRevoke: (id: string) => void }) {
  return (
    <Table horizontalSpacing="md" aria-label="API keys">
      <TableHead titles={["Name", "Key", "Scopes", "Last used", "Created"]} hasActions />
      <Table.Tbody>
        {keys.map((key) => (
          <Table.Tr key={key.id}>
            <Table.Td>{key.name}</Table.Td>
            <Table.Td className="mono">{key.prefix}…</Table.Td>
            <Table.Td>{key.scopes.join(", ")}</Table.Td>
            <Table.Td>{key.last_used_at ? <Time at={key.last_used_at} /> : "never"}</Table.Td>
            <Table.Td>
              <Time at={key.created_at} />
            </Table.Td>
            <Table.Td ta="right">
              <Button size="compact-xs" variant="default" onClick={() => onRevoke(key.id)}>
                Revoke
              </Button>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function CreatedKey({ value, onClose }: { value: string; onClose: () => void }) {
  return (
    <Stack>
      <Alert color="yellow" variant="light" title="Copy it now">
        It is shown only once.
      </Alert>
      <Code block>{value}</Code>
      <Group justify="flex-end">
        <CopyButton value={value}>
          {({ copied, copy }) => (
            <Button variant="default" onClick={copy}>
              {copied ? "Copied" : "Copy"}
            </Button>
          )}
        </CopyButton>
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  );
}

function NoKeyNeeded() {
  return (
    <div className="card">
      <Empty icon={<KeyRound aria-hidden />} title="No key is needed">
        In local mode every program on this machine may call the API.
      </Empty>
    </div>
  );
}
