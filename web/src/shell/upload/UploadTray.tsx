import { Button, CloseButton, Progress } from "@mantine/core";
import { CircleAlert, FileUp } from "lucide-react";
import { Problem } from "~/api/client";
import { counted } from "~/logic/numbers";
import { isOpen, namesOf, shareOf, uploadSummary } from "~/logic/uploads";
import { useUploads } from "./UploadProvider";
import classes from "./upload.module.css";

interface Props {
  isSending: boolean;
  isAsked: boolean;
  error: Error | null;
  onOpen: () => void;
  onDismiss: () => void;
}

/** Uploads whose drawer was closed: how far they are, what follows, and the way back. */
export function UploadTray({ isSending, isAsked, error, onOpen, onDismiss }: Props) {
  const { entries } = useUploads();
  if (entries.length === 0) return null;
  const Icon = error ? CircleAlert : FileUp;
  return (
    <section className={classes.tray} aria-label="Uploads" data-bad={error ? true : undefined}>
      <Icon size={16} aria-hidden />
      <span className={classes.trayWords} role="status">
        {error && <strong>{error instanceof Problem ? error.title : "The runs were not started"}. </strong>}
        {words(entries, isSending, isAsked)}
      </span>
      {isSending && (
        <Progress className={classes.trayBar} size="sm" value={shareOf(entries) * 100} aria-label="Uploaded" />
      )}
      <Button size="compact-sm" variant="default" onClick={onOpen}>
        Show
      </Button>
      {!isSending && !isAsked && <CloseButton size="sm" aria-label="Leave them unchanged" onClick={onDismiss} />}
    </section>
  );
}

function words(entries: ReturnType<typeof useUploads>["entries"], isSending: boolean, isAsked: boolean): string {
  const summary = uploadSummary(entries);
  const names = namesOf(entries.filter((one) => isOpen(one) === isSending).map((one) => one.file.name));
  const able = entries.filter(({ state }) => state !== "refused").length;
  const next = isAsked ? `. ${counted(able, "run")} ${able === 1 ? "starts" : "start"} after that` : "";
  return `${summary}: ${names}${next}.`;
}
