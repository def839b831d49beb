import { Button, Code, Group, Select, Table } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Users } from "lucide-react";
import { useState } from "react";
import { api } from "~/api/client";
import { membersQuery, usersQuery } from "~/api/queries";
import type { Role } from "~/api/types";
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
      <div className="card" style={{ overflowX: "auto" }}>
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
                    onClick={() => remove.mutate(member.user_id)}
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
          onAdd={(userId, role) => set.mutate({ userId, role })}
        />
      )}
    </>
  );
}

function AddMember({ known, onAdd }: { known: string[]; onAdd: (userId: string, role: string) => void }) {
  const users = useQuery({ ...usersQuery, retry: false }).data?.items ?? [];
  const [chosen, setChosen] = useState<string | null>(null);
  const [role, setRole] = useState<string>("operator");
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
      <Button disabled={!chosen} onClick={() => chosen && onAdd(chosen, role)}>
        Add
      </Button>
    </Group>
  );
}
