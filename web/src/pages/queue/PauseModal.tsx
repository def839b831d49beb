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
  const client = useQueryClient();
  const { workspace } = useWorkspace();
  const [scope, setScope] = useState<Pause["scope"]>("all");
  const [priority, setPriority] = useState(NORMAL);
  const [reason, setReason] = useState("");
  const value = scope === "priority" ? String(priority) : scope === "workspace" ? workspace.id : null;
  const pause = useMutation({
    mutationFn: () => pauseQueue(scope, value, reason),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["queue"] });
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    pause.mutate();
  };
  return (
    <Modal opened onClose={onClose} title="Pause">
      <form onSubmit={submit}>
        <Stack>
          <Select
            label="What"
            allowDeselect={false}
            data={[
              { value: "all", label: "Everything" },
              { value: "priority", label: "One priority" },
              { value: "workspace", label: `The workspace ${workspace.name}` },
            ]}
            value={scope}
            onChange={(chosen) => chosen && setScope(chosen as Pause["scope"])}
          />
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
