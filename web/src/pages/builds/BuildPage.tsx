import { Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { manifestOf, type Manifest } from "~/api/manifest";
import { buildLogQuery, buildQuery, recentRunsQuery } from "~/api/queries";
import type { Build } from "~/api/types";
import { BackLink } from "~/components/BackLink";
import { errorOf, PageProblem, RowsSkeleton } from "~/components/feedback";
import { PageHead, usePageTitle } from "~/components/PageHead";
import { RunTable, Took } from "~/components/RunTable";
import { BuildBadge, SeverityBadge } from "~/components/status";
import { Time } from "~/components/Time";
import { useWorkspace } from "~/shell/workspace";
import { TableHead } from "~/components/TableHead";
import classes from "../run/run.module.css";

const route = getRouteApi("/builds/$buildId");

/** What to show where nothing was printed: a build that failed before it could print anything has its reason. */
function emptyLog(build: Build): string {
  if (build.failure) return `${build.failure.message}\n(${build.failure.code}; nothing else was printed)`;
  return build.finished_at === null ? "Nothing was printed yet." : "Nothing was printed.";
}

export default function BuildPage() {
  const { buildId } = route.useParams();
  const build = useQuery(buildQuery(buildId));
  usePageTitle(build.data ? `Build of ${build.data.configuration_name}` : "Build");
  if (errorOf(build))
    return (
      <PageProblem
        error={errorOf(build)}
        onAgain={() => void build.refetch()}
        back={<BackLink to="/builds" label="All builds" />}
      />
    );
  if (!build.data) return <RowsSkeleton />;
  return <BuildView build={build.data} />;
}

function BuildView({ build }: { build: Build }) {
  const { workspace } = useWorkspace();
  const isOver = build.finished_at !== null;
  const log = useQuery({ ...buildLogQuery(build.id), refetchInterval: isOver ? false : 1000 });
  const runs =
    useQuery(recentRunsQuery(workspace.id, { configuration_id: build.configuration_id }, 50)).data?.items ?? [];
  const waiting = runs.filter((run) => run.build_id === build.id);
  const { fields = [], warnings = [] } = manifestOf(build) ?? {};
  return (
    <Stack gap="lg">
      <BuildHead build={build} />
      {build.failure && <Failure failure={build.failure} />}
      {warnings.length > 0 && <Warnings warnings={warnings} />}
      <section>
        <Title order={2} size="h4" mb="sm">
          Log
        </Title>
        <pre className={`card ${classes.tail}`} tabIndex={0} aria-label="Log of the build">
          {log.data?.text || emptyLog(build)}
        </pre>
      </section>
      {fields.length > 0 && <Fields fields={fields} />}
      {waiting.length > 0 && (
        <section>
          <Title order={2} size="h4" mb="sm">
            Runs that use it
          </Title>
          <RunTable runs={waiting} label="Runs that use this build" />
        </section>
      )}
    </Stack>
  );
}

function BuildHead({ build }: { build: Build }) {
  return (
    <PageHead
      before={<BackLink to="/builds" label="Builds" />}
      title={
        <span className={classes.title}>
          {build.configuration_name} · {build.is_test ? "draft" : `version ${build.version}`}{" "}
          <BuildBadge status={build.status} />
        </span>
      }
      note={
        <>
          fingerprint <span className="mono">{build.fingerprint.slice(0, 16)}</span> · asked for{" "}
          <Time at={build.created_at} /> · took <Took run={build} />
          {build.worker && ` on ${build.worker}`} for {build.surroundings} ·{" "}
          <Link
            to="/configurations/$configurationId"
            params={{ configurationId: build.configuration_id }}
            className="link"
          >
            the configuration
          </Link>
        </>
      }
    />
  );
}

function Failure({ failure }: { failure: NonNullable<Build["failure"]> }) {
  return (
    <section className={classes.failure} aria-label="Failure">
      <div className={classes.failureHead}>
        <div>
          <Text fw={650}>The build failed</Text>
          <Text>{failure.message}</Text>
          <Text size="sm" c="dimmed" className="mono">
            {failure.code}
          </Text>
        </div>
      </div>
    </section>
  );
}

function Warnings({ warnings }: Pick<Manifest, "warnings">) {
  return (
    <section>
      <Title order={2} size="h4" mb="sm">
        Warnings
      </Title>
      <ul className={`card ${classes.warnings}`} aria-label="Warnings of the build">
        {warnings.map((problem) => (
          <li key={`${problem.file} ${problem.line} ${problem.code}`}>
            <SeverityBadge severity={problem.severity} />{" "}
            <span className="mono">
              {problem.file}:{problem.line}
            </span>{" "}
            {problem.message}
            {problem.suggestion && `. ${problem.suggestion}`}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Fields({ fields }: Pick<Manifest, "fields">) {
  return (
    <section>
      <Title order={2} size="h4" mb="sm">
        What it found
      </Title>
      <div className={`card scrolls ${classes.scroll}`} tabIndex={0} role="region" aria-label="What it found">
        <Table horizontalSpacing="md" aria-label="Fields">
          <TableHead titles={["Field", "Label", "Type", "Also called", "File"]} />
          <Table.Tbody>
            {fields.map((field) => (
              <Table.Tr key={field.name}>
                <Table.Td className="mono">{field.name}</Table.Td>
                <Table.Td>{field.label}</Table.Td>
                <Table.Td>{field.type || "any"}</Table.Td>
                <Table.Td>{field.aliases.join(", ")}</Table.Td>
                <Table.Td className="mono">{field.file}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </section>
  );
}
