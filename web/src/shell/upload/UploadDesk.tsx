import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { submitRuns } from "~/api/actions";
import { useOnce } from "~/api/once";
import { configurationsQuery } from "~/api/queries";
import { showDone } from "~/components/feedback";
import { counted } from "~/logic/numbers";
import { NORMAL } from "~/logic/priority";
import { isOpen as isUnderWay, namesOf } from "~/logic/uploads";
import type { Document } from "~/api/types";
import { useWorkspace } from "../workspace";
import UploadDrawer from "./UploadDrawer";
import { UploadTray } from "./UploadTray";
import { useUploads } from "./UploadProvider";

/** How the uploaded documents shall run. */
export interface Order {
  isRunning: boolean;
  configurationId: string | null;
  priority: number;
  /** Of the only document; none: what the configuration says. */
  sheets: string[];
}

/** Handles uploads: it outlives the drawer, so that runs start even if it was closed. */
export default function UploadDesk() {
  const { entries, clear, isOpen, setOpen } = useUploads();
  const { workspace } = useWorkspace();
  const [chosen, setChosen] = useState<Order>({ isRunning: true, configurationId: null, priority: NORMAL, sheets: [] });
  const [isAsked, setAsked] = useState(false);
  const listed = useQuery(configurationsQuery(workspace.id)).data?.items ?? [];
  const published = listed.filter((one) => one.published_version !== null);
  const order = { ...chosen, configurationId: chosen.configurationId ?? published[0]?.id ?? null };
  const documents = entries.flatMap(({ document }) => (document ? [document] : []));
  const names = namesOf(documents.map((one) => one.name));
  const isSending = entries.some(isUnderWay);
  const submit = useSubmission(documents, order, () => setAsked(false));
  const { mutate } = submit;
  const isDue = isAsked && !isSending && documents.length > 0;
  useEffect(() => {
    if (isDue) mutate();
  }, [isDue, mutate]);
  const close = (): void => {
    setOpen(false);
    if (isSending || isAsked || submit.isPending) return; // the tray has it
    if (documents.length > 0) showDone(`${counted(documents.length, "document")} uploaded, not run: ${names}`);
    clear();
  };
  const shared = { isSending, isAsked: isAsked || submit.isPending, error: submit.error };
  if (!isOpen) return <UploadTray {...shared} onOpen={() => setOpen(true)} onDismiss={clear} />;
  return (
    <UploadDrawer
      {...shared}
      documents={documents}
      published={published}
      order={order}
      onChange={(part) => setChosen({ ...chosen, ...part })}
      onStart={() => setAsked(true)}
      onStay={() => setAsked(false)}
      onClose={close}
    />
  );
}

/** Starts the runs and opens their page, unless the drawer was closed. */
function useSubmission(documents: Document[], order: Order, onSettled: () => void) {
  const { clear, isOpen, setOpen } = useUploads();
  const navigate = useNavigate();
  const submitOnce = useOnce(submitRuns);
  return useMutation({
    mutationFn: () =>
      submitOnce({
        configurationId: order.configurationId ?? "",
        documentIds: documents.map((one) => one.id),
        priority: order.priority,
        ...(documents.length === 1 && { sheets: order.sheets }),
      }),
    onSuccess: (runs) => {
      const [only] = runs;
      clear();
      if (!isOpen || runs.length !== 1)
        showDone(`${counted(runs.length, "run")} queued: ${namesOf(documents.map((one) => one.name))}`);
      if (!isOpen) return; // a closed drawer stays closed
      setOpen(false);
      if (runs.length === 1 && only) void navigate({ to: "/runs/$runId", params: { runId: only.id } });
      else void navigate({ to: "/queue" });
    },
    onSettled,
  });
}
