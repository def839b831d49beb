import { Button, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { correctDocument } from "~/api/corrections";
import { onFirstClick, useOnce } from "~/api/once";
import type { Run } from "~/api/types";
import { showProblem } from "~/components/feedback";
import { counted } from "~/logic/numbers";
import { clearPending, usePending, type Corrections } from "~/pages/review/pending";
import classes from "./values.module.css";

/** How many decisions wait, and what makes a result with them. */
export function PendingBar({ run }: { run: Run }) {
  const waiting = usePending(run.id);
  const apply = useApplying(run, waiting);
  if (waiting.length === 0) return null;
  return (
    <div className={`card ${classes.pending}`}>
      <Text size="sm" role="status">
        {counted(waiting.length, "correction")} not applied yet
      </Text>
      <Button size="compact-sm" variant="default" onClick={() => clearPending(run.id)}>
        Forget {waiting.length === 1 ? "it" : "them"}
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        renderRoot={(props) => (
          <Link to="/runs/$runId" params={{ runId: run.id }} search={{ tab: "review" }} {...props} />
        )}
      >
        Review {waiting.length === 1 ? "it" : "them"}
      </Button>
      <Button
        size="compact-sm"
        leftSection={<Play size={14} />}
        loading={apply.isPending}
        onClick={onFirstClick(() => apply.mutate())}
      >
        Run this document with {waiting.length === 1 ? "it" : "them"}
      </Button>
    </div>
  );
}

function useApplying(run: Run, waiting: Corrections) {
  const navigate = useNavigate();
  const runOnce = useOnce(correctDocument);
  return useMutation({
    mutationFn: () => runOnce(run, waiting),
    onSuccess: (made) => {
      clearPending(run.id);
      void navigate({ to: "/runs/$runId", params: { runId: made.id } });
    },
    onError: showProblem,
  });
}
