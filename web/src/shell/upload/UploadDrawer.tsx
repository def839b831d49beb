import { ActionIcon, Button, Drawer, Group, Progress, Select, Stack, Switch, Text, Tooltip } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { CircleAlert, CircleCheck, FileSpreadsheet, Play, X } from "lucide-react";
import { useState } from "react";
import { submitRuns } from "~/api/actions";
import { Problem } from "~/api/client";
import { onFirstClick, useOnce } from "~/api/once";
import { configurationsQuery, estimateQuery } from "~/api/queries";
import { ErrorPanel, showDone } from "~/components/feedback";
import { PrioritySelect } from "~/components/PrioritySelect";
import { useNow } from "~/components/Time";
import { bytes, counted } from "~/logic/numbers";
import { NORMAL } from "~/logic/priority";
import { startRange } from "~/logic/time";
import { useForbidden, useWorkspace } from "../workspace";
import classes from "./upload.module.css";
import { useUploads } from "./UploadProvider";
import type { Upload } from "./uploads";

/** What was dropped, how it shall run, and where it would stand in the queue. */
export default function UploadDrawer({ onClose }: { onClose: () => void }) {
  const { entries, remove, clear, choose } = useUploads();
  const sent = entries.filter((entry) => entry.state === "sent");
  const isSending = entries.some((entry) => entry.state === "waiting" || entry.state === "sending");
  const close = (): void => {
    if (!isSending) clear();
    onClose();
  };
  return (
    <Drawer opened onClose={close} position="right" size="md" title={<Text fw={600}>Upload documents</Text>}>
      <Stack>
        {entries.length === 0 ? (
          <Text c="dimmed">Nothing chosen yet.</Text>
        ) : (
          <ul className={classes.files}>
            {entries.map((entry) => (
              <UploadRow key={entry.key} entry={entry} onRemove={() => remove(entry.key)} />
            ))}
          </ul>
        )}
        <Group>
          <Button variant="default" size="xs" onClick={choose}>
            Add more
          </Button>
        </Group>
        <RunChoices
          documents={sent.flatMap((entry) => (entry.document ? [entry.document.id] : []))}
          isSending={isSending}
          onDone={() => {
            clear();
            onClose();
          }}
        />
      </Stack>
    </Drawer>
  );
}

function UploadRow({ entry, onRemove }: { entry: Upload; onRemove: () => void }) {
  const Icon = entry.state === "sent" ? CircleCheck : entry.state === "refused" ? CircleAlert : FileSpreadsheet;
  return (
    <li className={classes.file} data-state={entry.state}>
      <Icon size={18} aria-hidden />
      <span className={classes.name} title={entry.file.name}>
        {entry.file.name}
      </span>
      <ActionIcon variant="subtle" color="gray" size="sm" onClick={onRemove} aria-label={`Remove ${entry.file.name}`}>
        <X size={14} />
      </ActionIcon>
      {entry.state === "sending" || entry.state === "waiting" ? (
        <Progress
          className={classes.note}
          size="sm"
          value={entry.share * 100}
          animated={entry.state === "sending"}
          aria-label={`${entry.file.name} is uploaded`}
        />
      ) : (
        <span className={classes.note}>{uploadNote(entry)}</span>
      )}
    </li>
  );
}

function uploadNote(entry: Upload): string {
  if (entry.state === "refused") return entry.problem?.message ?? "Not uploaded";
  const sheets = entry.document?.sheets.length ?? 0;
  const known = entry.document?.duplicate_of ? " · these very bytes were uploaded before" : "";
  return `${bytes(entry.file.size)}${sheets > 1 ? ` · ${counted(sheets, "sheet")}` : ""}${known}`;
}

function RunChoices({ documents, isSending, onDone }: { documents: string[]; isSending: boolean; onDone: () => void }) {
  const { workspace } = useWorkspace();
  const navigate = useNavigate();
  const forbidden = useForbidden("operator");
  const listed = useQuery(configurationsQuery(workspace.id)).data?.items ?? [];
  const published = listed.filter((one) => one.published_version !== null);
  const [chosen, setChosen] = useState<string | null>(null);
  const [priority, setPriority] = useState(NORMAL);
  const [isRunning, setRunning] = useState(true);
  const configurationId = chosen ?? published[0]?.id ?? null;
  const submitOnce = useOnce(submitRuns);
  const submit = useMutation({
    mutationFn: () => submitOnce({ configurationId: configurationId ?? "", documentIds: documents, priority }),
    onSuccess: (runs) => {
      onDone();
      const [only] = runs;
      if (runs.length === 1 && only) void navigate({ to: "/runs/$runId", params: { runId: only.id } });
      else {
        showDone(`${counted(runs.length, "run")} queued`);
        void navigate({ to: "/queue" });
      }
    },
  });
  const why = forbidden ?? (configurationId ? null : "Publish a configuration first.");
  return (
    <>
      <Switch label="Run them" checked={isRunning} onChange={(event) => setRunning(event.currentTarget.checked)} />
      {isRunning && (
        <>
          <Select
            label="Configuration"
            placeholder="None is published yet"
            allowDeselect={false}
            data={published.map((one) => ({ value: one.id, label: `${one.name} · version ${one.published_version}` }))}
            value={configurationId}
            onChange={setChosen}
          />
          <PrioritySelect value={priority} onChange={setPriority} />
          <Projection priority={priority} />
        </>
      )}
      {submit.error && <Refusal error={submit.error} />}
      <Group justify="flex-end">
        {isRunning ? (
          <Tooltip label={why} disabled={!why}>
            <Button
              leftSection={<Play size={16} />}
              loading={submit.isPending || (isSending && documents.length > 0)}
              disabled={documents.length === 0 || why !== null}
              onClick={onFirstClick(() => submit.mutate())}
            >
              {documents.length > 1 ? `Start ${documents.length} runs` : "Start the run"}
            </Button>
          </Tooltip>
        ) : (
          <Button disabled={isSending} onClick={onDone}>
            Done
          </Button>
        )}
      </Group>
    </>
  );
}

function Projection({ priority }: { priority: number }) {
  const estimate = useQuery(estimateQuery(priority)).data;
  const now = useNow();
  if (!estimate) return <div className={classes.place}>Looking at the queue…</div>;
  return (
    <div className={classes.place}>
      Would be <strong className="num">#{estimate.position}</strong> in the queue
      {estimate.estimated_start ? ` and start ${startRange(estimate.estimated_start, now)}.` : "."}
    </div>
  );
}

/** A full queue is no fault of anyone: say when to come back. */
function Refusal({ error }: { error: unknown }) {
  if (!(error instanceof Problem) || error.code !== "run_queue_full") return <ErrorPanel error={error} />;
  const seconds = error.retryAfterSeconds ?? 5;
  return (
    <div className={classes.place} role="alert" title={error.detail}>
      <strong>The queue is full.</strong> Your documents are kept. Start again when some runs have finished, in about{" "}
      {seconds} s.
    </div>
  );
}
