import { Button, Group, Modal, Select, Stack, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { pauseQueue } from "~/api/actions";
import type { Pause } from "~/api/types";
import { ErrorPanel } from "~/components/feedback";
import { PrioritySelect } from "~/components/PrioritySelect";
import { NORMAL } from "~/logic/priority";
import { useWorkspace } from "~/shell/workspace";

export function PauseModal({ onClose }: { onClose: () => void }) {
  const { workspace } = useWorkspace();
  const [scope, setScope] = useState<Pause["scope"]>("all");
  const [priority, setPriority] = useState(NORMAL);
  const [reason, setReason] = useState("");
  const value = scope === "priority" ? String(priority) : scope === "workspace" ? workspace.id : null;
  const pause = usePausing(onClose);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    pause.mutate({ scope, value, reason });
  };
  return (
    <Modal opened onClose={onClose} title="Pause">
      <form onSubmit={submit}>
        <Stack>
          <ScopeSelect scope={scope} workspace={workspace.name} onChange={setScope} />
          {scope === "priority" && <PrioritySelect value={priority} onChange={setPriority} />}
          <TextInput
            data-autofocus
            label="Why"
            required
            placeholder="Month end: invoices first"
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          {pause.error && <ErrorPanel error={pause.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Close
            </Button>
            <Button type="submit" loading={pause.isPending} disabled={reason.trim() === ""}>
              Pause
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

interface ScopeProps {
  scope: Pause["scope"];
  workspace: string;
  onChange: (scope: Pause["scope"]) => void;
}

function ScopeSelect({ scope, workspace, onChange }: ScopeProps) {
  return (
    <Select
      label="What"
      allowDeselect={false}
      data={[
        { value: "all", label: "Everything" },
        { value: "priority", label: "One priority" },
        { value: "workspace", label: `The workspace ${workspace}` },
      ]}
      value={scope}
      onChange={(chosen) => chosen && onChange(chosen as Pause["scope"])}
    />
  );
}

function usePausing(onPaused: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ scope, value, reason }: Pick<Pause, "scope" | "value" | "reason">) =>
      pauseQueue(scope, value, reason),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["queue"] });
      onPaused();
    },
  });
}
