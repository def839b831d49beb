import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { CirclePause, Play } from "lucide-react";
import { resumeQueue } from "~/api/actions";
import type { Pause } from "~/api/types";
import { showProblem } from "~/components/feedback";
import { Time } from "~/components/Time";
import { priorityName } from "~/logic/priority";
import { useForbidden, useWorkspace } from "~/shell/workspace";
import classes from "./queue.module.css";

/** What is held back, by whom, since when and why. */
export function PauseBanner({ pause }: { pause: Pause }) {
  const client = useQueryClient();
  const forbidden = useForbidden("operator");
  const { workspaces } = useWorkspace();
  const resume = useMutation({
    mutationFn: () => resumeQueue(pause.id),
    onSuccess: () => Promise.all(["queue", "runs"].map((key) => client.invalidateQueries({ queryKey: [key] }))),
    onError: showProblem,
  });
  const what: Record<Pause["scope"], string> = {
    all: "Everything is paused",
    priority: `Priority ${priorityName(Number(pause.value))} is paused`,
    workspace: `The workspace ${workspaces.find((one) => one.id === pause.value)?.name ?? pause.value} is paused`,
    plan: `The plan ${pause.value} is paused`,
  };
  return (
    <div className={classes.pause} role="status">
      <CirclePause size={18} aria-hidden />
      <span>
        <strong>{what[pause.scope]}.</strong> {pause.reason}{" "}
        <small>
          Paused by {pause.created_by ?? "someone"} <Time at={pause.created_at} />. Runs that have started will finish.
        </small>
      </span>
      <Button
        size="xs"
        variant="default"
        leftSection={<Play size={14} />}
        loading={resume.isPending}
        disabled={forbidden !== null}
        title={forbidden ?? undefined}
        onClick={() => resume.mutate()}
      >
        Resume
      </Button>
    </div>
  );
}
