import { Button, Code, Group, Modal, Select, Table, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Users } from "lucide-react";
import { useState } from "react";
import { api } from "~/api/client";
import { membersQuery, sessionQuery, usersQuery } from "~/api/queries";
import type { Member, Role } from "~/api/types";
import { errorOf, Empty, ErrorPanel, RowsSkeleton, showProblem } from "~/components/feedback";
import { Time } from "~/components/Time";
import { useForbidden, useWorkspace } from "~/shell/workspace";

const ROLES: { value: Role; label: string }[] = [
  { value: "viewer", label: "Viewer: sees everything" },
  { value: "operator", label: "Operator: also uploads, runs, steers the queue" },
  { value: "author", label: "Author: also edits and publishes configurations" },
  { value: "admin", label: "Admin: also members and settings" },
];

export function MembersTab({ isTeam }: { isTeam: boolean }) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const forbidden = useForbidden("admin");
  const [leaving, setLeaving] = useState<Member | null>(null);
  const members = useQuery({ ...membersQuery(workspace.id), enabled: isTeam });
  const refresh = { onSuccess: () => client.invalidateQueries({ queryKey: ["workspaces"] }), onError: showProblem };
  const set = useMutation({
    mutationFn: ({ userId, role }: { userId: string; role: string }) =>
      api.put(`/workspaces/${workspace.id}/members/${userId}`, { role }),
    ...refresh,
  });
  const remove = useMutation({
    mutationFn: (userId: string) => api.delete(`/workspaces/${workspace.id}/members/${userId}`),
    ...refresh,
  });
  if (!isTeam)
    return (
      <div className="card">
        <Empty icon={<Users aria-hidden />} title="Nobody else is here">
          In local mode there are no accounts. Set <Code>ADE_AUTH_MODE=team</Code> and start again to invite others.
        </Empty>
      </div>
    );
  if (errorOf(members)) return <ErrorPanel error={errorOf(members)} />;
  if (!members.data) return <RowsSkeleton />;
  return (
    <>
      {members.data.items.length === 0 && (
        <div className="card">
          <Empty icon={<Users aria-hidden />} title="This workspace has no members yet">
            Administrators of the deployment see it anyway. {forbidden ?? "Add the people who work with it below."}
          </Empty>
        </div>
      )}
      <div className="card" style={{ overflowX: "auto" }} hidden={members.data.items.length === 0}>
        <Table horizontalSpacing="md" aria-label="Members">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th>Email</Table.Th>
              <Table.Th>Role</Table.Th>
              <Table.Th>Since</Table.Th>
              <Table.Th>
                <span className="only-sr">Actions</span>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {members.data.items.map((member) => (
              <Table.Tr key={member.user_id}>
                <Table.Td>{member.name}</Table.Td>
                <Table.Td>{member.email}</Table.Td>
                <Table.Td>
                  <Select
                    size="xs"
                    aria-label={`Role of ${member.name}`}
                    allowDeselect={false}
                    disabled={forbidden !== null}
                    data={ROLES}
                    value={member.role}
                    onChange={(role) => role && set.mutate({ userId: member.user_id, role })}
                  />
                </Table.Td>
                <Table.Td>
                  <Time at={member.created_at} />
                </Table.Td>
                <Table.Td ta="right">
                  <Button
                    size="compact-xs"
                    variant="default"
                    disabled={forbidden !== null}
                    title={forbidden ?? undefined}
                    onClick={() => setLeaving(member)}
                  >
                    Remove
                  </Button>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      {!forbidden && (
        <AddMember
          known={members.data.items.map((member) => member.user_id)}
          onAdd={(userId, role) => set.mutateAsync({ userId, role })}
        />
      )}
      <Administrators />
      <Modal opened={leaving !== null} onClose={() => setLeaving(null)} title={`Remove ${leaving?.name}?`}>
        <Text size="sm" mb="md">
          {leaving?.name} ({leaving?.email}) no longer sees the workspace {workspace.name}. The account stays, and what
          it did stays.
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => setLeaving(null)}>
            Keep
          </Button>
          <Button
            color="red"
            loading={remove.isPending}
            onClick={() => leaving && remove.mutate(leaving.user_id, { onSettled: () => setLeaving(null) })}
          >
            Remove
          </Button>
        </Group>
      </Modal>
    </>
  );
}

/** Those who administer the whole deployment: they may do everything here without being members. */
function Administrators() {
  const isAdmin = useQuery(sessionQuery).data?.is_admin ?? false;
  const users = useQuery({ ...usersQuery, enabled: isAdmin }).data?.items ?? [];
  const admins = users.filter((user) => user.is_admin && user.disabled_at === null);
  if (admins.length === 0) return null;
  return (
    <section aria-label="Administrators of the deployment">
      <Title order={2} size="h5" mt="xl" mb={6}>
        Administrators of the deployment
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        They may do everything in every workspace, as members or not.
      </Text>
      <ul className="card">
        {admins.map((user) => (
          <li key={user.id}>
            {user.name} <span className="mono">{user.email}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface AddProps {
  known: string[];
  onAdd: (userId: string, role: string) => Promise<unknown>;
}

function AddMember({ known, onAdd }: AddProps) {
  const isAdmin = useQuery(sessionQuery).data?.is_admin ?? false;
  const users = useQuery({ ...usersQuery, enabled: isAdmin }).data?.items ?? [];
  const [chosen, setChosen] = useState<string | null>(null);
  const [role, setRole] = useState<string>("operator");
  const [isAdding, setAdding] = useState(false);
  const add = async (): Promise<void> => {
    if (!chosen || isAdding) return;
    setAdding(true);
    const isAdded = await onAdd(chosen, role).then(
      () => true,
      () => false, // the page has said why
    );
    setAdding(false);
    if (isAdded) setChosen(null);
  };
  const others = users.filter((user) => !known.includes(user.id) && user.disabled_at === null);
  if (others.length === 0) return null;
  return (
    <Group mt="md" align="flex-end">
      <Select
        label="Add"
        placeholder="Choose a person"
        searchable
        data={others.map((user) => ({ value: user.id, label: `${user.name} (${user.email})` }))}
        value={chosen}
        onChange={setChosen}
      />
      <Select
        label="As"
        allowDeselect={false}
        data={ROLES}
        value={role}
        onChange={(value) => value && setRole(value)}
        w={330}
      />
      <Button disabled={!chosen} loading={isAdding} onClick={() => void add()}>
        Add
      </Button>
    </Group>
  );
}
