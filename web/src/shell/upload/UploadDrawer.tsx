import {
  ActionIcon,
  Button,
  Drawer,
  Group,
  MultiSelect,
  Progress,
  Select,
  Stack,
  Switch,
  Text,
  Tooltip,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { CircleAlert, CircleCheck, FileSpreadsheet, Play, X } from "lucide-react";
import { Problem } from "~/api/client";
import { onFirstClick } from "~/api/once";
import { estimateQuery } from "~/api/queries";
import type { Configuration, Document } from "~/api/types";
import { ErrorPanel } from "~/components/feedback";
import { PrioritySelect } from "~/components/PrioritySelect";
import { useNow } from "~/components/Time";
import { bytes, counted } from "~/logic/numbers";
import { startRange } from "~/logic/time";
import { goodFirst, uploadSummary } from "~/logic/uploads";
import { useForbidden } from "../workspace";
import classes from "./upload.module.css";
import type { Order } from "./UploadDesk";
import { useUploads } from "./UploadProvider";
import type { Upload } from "./uploads";

interface Props {
  isSending: boolean;
  /** Whether runs start as soon as everything is uploaded. */
  isAsked: boolean;
  error: Error | null;
  documents: Document[];
  published: Configuration[];
  order: Order;
  onChange: (part: Partial<Order>) => void;
  onStart: () => void;
  onStay: () => void;
  onClose: () => void;
}

/** The dropped files, the options of their runs, and their place in the queue. */
export default function UploadDrawer(props: Props) {
  const { entries, remove, choose } = useUploads();
  return (
    <Drawer opened onClose={props.onClose} position="right" size="md" title={<Text fw={600}>Upload documents</Text>}>
      <Stack>
        {entries.length === 0 ? (
          <Text c="dimmed">Nothing chosen yet.</Text>
        ) : (
          <div>
            <Text size="sm" fw={550} mb={6} role="status">
              {uploadSummary(entries)}
            </Text>
            <ul className={classes.files}>
              {goodFirst(entries).map((entry) => (
                <UploadRow key={entry.key} entry={entry} onRemove={() => remove(entry.key)} />
              ))}
            </ul>
          </div>
        )}
        <Group>
          <Button variant="default" size="xs" onClick={choose}>
            Add more
          </Button>
        </Group>
        <RunChoices {...props} />
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

function RunChoices(props: Props) {
  const { documents, published, order, isAsked, error, onChange } = props;
  const count = useUploads().entries.filter(({ state }) => state !== "refused").length;
  const [only] = documents;
  return (
    <>
      <Switch
        label="Run them"
        checked={order.isRunning}
        disabled={isAsked}
        onChange={(event) => onChange({ isRunning: event.currentTarget.checked })}
      />
      {order.isRunning && (
        <>
          <Select
            label="Configuration"
            placeholder="None is published yet"
            allowDeselect={false}
            data={published.map((one) => ({ value: one.id, label: `${one.name} · version ${one.published_version}` }))}
            value={order.configurationId}
            onChange={(configurationId) => onChange({ configurationId })}
          />
          {count === 1 && only && <SheetChoice document={only} order={order} onChange={onChange} />}
          <PrioritySelect value={order.priority} onChange={(priority) => onChange({ priority })} />
          <Projection priority={order.priority} />
        </>
      )}
      {error && <Refusal error={error} />}
      <StartButtons {...props} count={count} />
    </>
  );
}

function startWords(count: number, isSending: boolean, isWaiting: boolean): string {
  const runs = count > 1 ? `${count} runs` : "the run";
  if (isWaiting) return count > 1 ? `${count} runs start when uploaded` : "The run starts when uploaded";
  return isSending ? `Start ${runs} when uploaded` : `Start ${runs}`;
}

/** Which sheets of a workbook are read; those of several documents have different names. */
function SheetChoice({ document, order, onChange }: Pick<Props, "order" | "onChange"> & { document: Document }) {
  const named = document.sheets.flatMap(({ name, visibility }) =>
    name === null ? [] : [{ value: name, label: visibility === "visible" ? name : `${name} (hidden)` }],
  );
  if (named.length < 2) return null;
  return (
    <MultiSelect
      label="Sheets"
      placeholder={order.sheets.length === 0 ? "As in the configuration" : ""}
      data={named}
      value={order.sheets}
      onChange={(sheets) => onChange({ sheets })}
    />
  );
}

function Projection({ priority }: { priority: number }) {
  const estimate = useQuery(estimateQuery(priority)).data;
  const now = useNow();
  if (!estimate) return <div className={classes.place}>Loading the queue…</div>;
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

function StartButtons({ order, isSending, isAsked, onStart, onStay, onClose, count }: Props & { count: number }) {
  const forbidden = useForbidden("operator");
  const why = forbidden ?? (order.configurationId ? null : "Publish a configuration first.");
  const isWaiting = isAsked && isSending;
  return (
    <Group justify="flex-end">
      {isWaiting && (
        <Button variant="subtle" onClick={onStay}>
          Do not start them
        </Button>
      )}
      {order.isRunning ? (
        <Tooltip label={why} disabled={!why}>
          <Button
            leftSection={<Play size={16} />}
            loading={isAsked && !isSending}
            disabled={count === 0 || why !== null || isWaiting}
            onClick={onFirstClick(onStart)}
          >
            {startWords(count, isSending, isWaiting)}
          </Button>
        </Tooltip>
      ) : (
        <Button onClick={onClose}>Done</Button>
      )}
    </Group>
  );
}
