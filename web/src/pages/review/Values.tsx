import { Title } from "@mantine/core";
import type { Artifact } from "~/api/artifact";
import type { Manifest } from "~/api/manifest";
import type { Run } from "~/api/types";
import { issuesOf } from "~/logic/explain";
import { ValueGroups } from "../run/values/ValueGroups";
import classes from "./review.module.css";

interface Props {
  run: Run;
  artifact: Artifact;
  pendingRunId: string;
  manifest: Manifest | null;
}

/** What the cells with issues hold; nothing where there are none. */
export function Values({ artifact, ...groups }: Props) {
  if (!issuesOf(artifact).some(({ cell }) => cell !== null)) return null;
  return (
    <section aria-label="Values with issues" className={classes.values}>
      <Title order={2} size="h5">
        Values with issues
      </Title>
      <ValueGroups {...groups} />
    </section>
  );
}
