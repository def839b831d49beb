import { Button, Code, Group, Select, Table, Text, TextInput, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Users } from "lucide-react";
import { type ReactNode, useState } from "react";
import { api } from "~/api/client";
import { membersQuery, usersQuery } from "~/api/operationQueries";
import { sessionQuery } from "~/api/queries";
import type { Member, Role } from "~/api/types";
import { errorOf, Empty, ErrorPanel, RowsSkeleton, showProblem } from "~/components/feedback";
import { Time } from "~/components/Time";
import { useForbidden, useWorkspace } from "~/shell/workspace";
import { ConfirmModal } from "~/components/ConfirmModal";
import { TableHead } from "~/components/TableHead";
import classes from "./settings.module.css";

const ROLES: { value: Role; label: string }[] = [
  { value: "viewer", label: "Viewer: sees everything" },
  { value: "operator", label: "Operator: also uploads, runs, steers the queue" },
  { value: "author", label: "Author: also edits and publishes configurations" },
  { value: "admin", label: "Admin: also members and settings" },
];

export function MembersTab({ isTeam }: { isTeam: boolean }) {
  const { workspace } = useWorkspace();
  const forbidden = useForbidden("admin");
  const isAdmin = useQuery(sessionQuery).data?.is_admin ?? false;
  const [leaving, setLeaving] = useState<Member | null>(null);
  const { set, remove, addByEmail } = useMemberChanges(workspace.id);
  const members = useQuery({ ...membersQuery(workspace.id), enabled: isTeam });
  if (!isTeam) return <NoTeam />;
  if (errorOf(members)) return <ErrorPanel error={errorOf(members)} onAgain={() => void members.refetch()} />;
  if (!members.data) return <RowsSkeleton />;
  return (
    <>
      {members.data.items.length === 0 && <NoMembers forbidden={forbidden} />}
      <MemberTable
        members={members.data.items}
        forbidden={forbidden}
        onRole={(userId, role) => set.mutate({ userId, role })}
        onRemove={setLeaving}
      />
      {!forbidden && isAdmin && (
        <AddMember
          known={members.data.items.map((member) => member.user_id)}
          onAdd={(userId, role) => set.mutateAsync({ userId, role })}
        />
      )}
      {!forbidden && !isAdmin && <AddByEmail onAdd={(email, role) => addByEmail.mutateAsync({ email, role })} />}
      <Administrators />
      <RemoveModal
        member={leaving}
        workspace={workspace.name}
        isPending={remove.isPending}
        onClose={() => setLeaving(null)}
        onConfirm={() => leaving && remove.mutate(leaving.user_id, { onSettled: () => setLeaving(null) })}
      />
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
        They can do everything in every workspace, even without membership.
      </Text>
      <ul className="card" style={{ listStyle: "none", margin: 0, padding: "10px 16px" }}>
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

/** Administrators of the deployment see all accounts, and choose among them. */
function AddMember({ known, onAdd }: AddProps) {
  const users = useQuery(usersQuery).data?.items ?? [];
  const [chosen, setChosen] = useState<string | null>(null);
  const others = users.filter((user) => !known.includes(user.id) && user.disabled_at === null);
  if (others.length === 0) return null;
  return (
    <AddForm wanted={chosen} onAdd={onAdd} onAdded={() => setChosen(null)}>
      <Select
        label="Add"
        placeholder="Choose a person"
        searchable
        data={others.map((user) => ({ value: user.id, label: `${user.name} (${user.email})` }))}
        value={chosen}
        onChange={setChosen}
      />
    </AddForm>
  );
}

/** An administrator of the workspace alone sees no list of accounts, and names one by its whole address. */
function AddByEmail({ onAdd }: { onAdd: (email: string, role: string) => Promise<unknown> }) {
  const [email, setEmail] = useState("");
  return (
    <AddForm wanted={email.includes("@") ? email.trim() : null} onAdd={onAdd} onAdded={() => setEmail("")}>
      <TextInput
        label="Add"
        type="email"
        placeholder="Email address of an account"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        w={260}
      />
    </AddForm>
  );
}

interface AddFormProps {
  wanted: string | null;
  onAdd: (wanted: string, role: string) => Promise<unknown>;
  onAdded: () => void;
  children: ReactNode;
}

function AddForm({ wanted, onAdd, onAdded, children }: AddFormProps) {
  const [role, setRole] = useState<string>("operator");
  const [isAdding, setAdding] = useState(false);
  const add = async (): Promise<void> => {
    if (!wanted || isAdding) return;
    setAdding(true);
    const isAdded = await onAdd(wanted, role).then(
      () => true,
      () => false, // the page has said why
    );
    setAdding(false);
    if (isAdded) onAdded();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <Group mt="md" align="flex-end">
        {children}
        <RoleSelect role={role} onChange={setRole} />
        <Button type="submit" disabled={!wanted} loading={isAdding}>
          Add
        </Button>
      </Group>
    </form>
  );
}

interface RowProps {
  member: Member;
  forbidden: string | null;
  onRole: (role: string) => void;
  onRemove: () => void;
}

function MemberRow({ member, forbidden, onRole, onRemove }: RowProps) {
  return (
    <Table.Tr>
      <Table.Td>{member.name}</Table.Td>
      <Table.Td className={classes.email}>{member.email}</Table.Td>
      <Table.Td>
        <Select
          size="xs"
          miw={190}
          aria-label={`Role of ${member.name}`}
          allowDeselect={false}
          disabled={forbidden !== null}
          data={ROLES}
          value={member.role}
          onChange={(role) => role && onRole(role)}
        />
      </Table.Td>
      <Table.Td className={classes.since}>
        <Time at={member.created_at} />
      </Table.Td>
      <Table.Td ta="right">
        <Button
          size="compact-xs"
          variant="default"
          disabled={forbidden !== null}
          title={forbidden ?? undefined}
          onClick={onRemove}
        >
          Remove
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}

function NoTeam() {
  return (
    <div className="card">
      <Empty icon={<Users aria-hidden />} title="There are no other members">
        In local mode there are no accounts. Set <Code>ADE_AUTH_MODE=team</Code> and start again to invite others.
      </Empty>
    </div>
  );
}

function NoMembers({ forbidden }: { forbidden: string | null }) {
  return (
    <div className="card">
      <Empty icon={<Users aria-hidden />} title="This workspace has no members yet">
        Administrators of the deployment see it anyway. {forbidden ?? "Add its members below."}
      </Empty>
    </div>
  );
}

function useMemberChanges(workspaceId: string) {
  const client = useQueryClient();
  const refresh = { onSuccess: () => client.invalidateQueries({ queryKey: ["workspaces"] }), onError: showProblem };
  const set = useMutation({
    mutationFn: ({ userId, role }: { userId: string; role: string }) =>
      api.put(`/workspaces/${workspaceId}/members/${userId}`, { role }),
    ...refresh,
  });
  const remove = useMutation({
    mutationFn: (userId: string) => api.delete(`/workspaces/${workspaceId}/members/${userId}`),
    ...refresh,
  });
  const addByEmail = useMutation({
    mutationFn: (order: { email: string; role: string }) => api.post(`/workspaces/${workspaceId}/members`, order),
    ...refresh,
  });
  return { set, remove, addByEmail };
}

interface RemoveProps {
  member: Member | null;
  workspace: string;
  isPending: boolean;
  onClose: () => void;
  onConfirm: () => void;
}

function RemoveModal({ member, workspace, ...rest }: RemoveProps) {
  return (
    <ConfirmModal isOpen={member !== null} title={`Remove ${member?.name}?`} keep="Keep" confirm="Remove" {...rest}>
      {member?.name} ({member?.email}) no longer sees the workspace {workspace}. The account stays, and what it did
      stays.
    </ConfirmModal>
  );
}

function RoleSelect({ role, onChange }: { role: string; onChange: (role: string) => void }) {
  return (
    <Select
      label="As"
      allowDeselect={false}
      data={ROLES}
      value={role}
      onChange={(value) => value && onChange(value)}
      w={390}
      maw="100%"
    />
  );
}

interface TableProps {
  members: Member[];
  forbidden: string | null;
  onRole: (userId: string, role: string) => void;
  onRemove: (member: Member) => void;
}

function MemberTable({ members, forbidden, onRole, onRemove }: TableProps) {
  return (
    <div
      className="card"
      style={{ overflowX: "auto" }}
      hidden={members.length === 0}
      tabIndex={0}
      role="region"
      aria-label="People of this workspace"
    >
      <Table horizontalSpacing="md" aria-label="Members">
        <TableHead titles={["Name", "Email", "Role", "Since"]} hasActions />
        <Table.Tbody>
          {members.map((member) => (
            <MemberRow
              key={member.user_id}
              member={member}
              forbidden={forbidden}
              onRole={(role) => onRole(member.user_id, role)}
              onRemove={() => onRemove(member)}
            />
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
