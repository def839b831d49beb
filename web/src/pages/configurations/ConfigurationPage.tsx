import { Button, Group, Select, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Download, SquarePen } from "lucide-react";
import { lazy, Suspense } from "react";
import { addressOf } from "~/api/client";
import { configurationQuery, recentRunsQuery, versionsQuery } from "~/api/queries";
import type { Version, Configuration } from "~/api/types";
import { BackLink } from "~/components/BackLink";
import { errorOf, PageProblem, RowsSkeleton } from "~/components/feedback";
import { PageHead, usePageTitle } from "~/components/PageHead";
import { RunTable } from "~/components/RunTable";
import { comparedVersions, versionWords } from "~/logic/versions";
import { useForbidden, useWorkspace } from "~/shell/workspace";
import { load } from "~/shell/version";
import { Corrections } from "./Corrections";
import { Versions } from "./Versions";

const VersionDiff = lazy(() => load(() => import("./VersionDiff")));
const route = getRouteApi("/configurations/$configurationId");

export default function ConfigurationPage() {
  const { configurationId } = route.useParams();
  const forbidden = useForbidden("author");
  const configuration = useQuery(configurationQuery(configurationId));
  const versions = useQuery(versionsQuery(configurationId));
  usePageTitle(configuration.data?.name ?? "Configuration");
  const error = errorOf(configuration) ?? errorOf(versions);
  if (error)
    return (
      <PageProblem
        error={error}
        onAgain={() => void configuration.refetch()}
        back={<BackLink to="/configurations" label="All configurations" />}
      />
    );
  if (!configuration.data || !versions.data) return <RowsSkeleton />;
  const { draft_version: draft, name } = configuration.data;
  return (
    <Stack gap="lg">
      <ConfigurationHead configuration={configuration.data} forbidden={forbidden} />
      <Versions
        configurationId={configurationId}
        versions={versions.data.items}
        forbidden={forbidden}
        hasDraft={draft !== null}
      />
      <Corrections configuration={configuration.data} forbidden={forbidden} />
      <DiffChoice configurationId={configurationId} versions={versions.data.items} />
      <RunsOf configurationId={configurationId} name={name} />
    </Stack>
  );
}

function RunsOf({ configurationId, name }: { configurationId: string; name: string }) {
  const { workspace } = useWorkspace();
  const runs = useQuery(recentRunsQuery(workspace.id, { configuration_id: configurationId }, 20)).data?.items ?? [];
  if (runs.length === 0) return null;
  return (
    <section>
      <Title order={2} size="h4" mb="sm">
        Runs
      </Title>
      <RunTable runs={runs} label={`Runs of ${name}`} />
    </section>
  );
}

function DiffChoice({ configurationId, versions }: { configurationId: string; versions: Version[] }) {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/configurations/$configurationId" });
  const usual = comparedVersions(versions);
  if (!usual) return null;
  const before = search.before ?? String(usual.before);
  const after = search.after ?? String(usual.after);
  const choose = (before: string, after: string): void =>
    void navigate({ search: { before, after }, replace: true, resetScroll: false });
  return (
    <section aria-label="Difference">
      <Title order={2} size="h4" mb="sm">
        Difference
      </Title>
      <Group mb="sm">
        <VersionSelect
          label="From version"
          versions={versions}
          value={before}
          onChange={(value) => choose(value, after)}
        />
        <Text size="sm">to</Text>
        <VersionSelect
          label="To version"
          versions={versions}
          value={after}
          onChange={(value) => choose(before, value)}
        />
      </Group>
      <Suspense fallback={<RowsSkeleton />}>
        <VersionDiff configurationId={configurationId} before={Number(before)} after={Number(after)} />
      </Suspense>
    </section>
  );
}

interface HeadProps {
  configuration: Configuration;
  forbidden: string | null;
}

function ConfigurationHead({ configuration, forbidden }: HeadProps) {
  const { published_version: published, draft_version: draft, name } = configuration;
  return (
    <PageHead
      before={<BackLink to="/configurations" label="Configurations" />}
      title={name}
      note={
        published === null
          ? "Nothing is published yet"
          : `Version ${published} is published${draft === null ? "" : `, version ${draft} is a draft`}`
      }
    >
      <Button
        component="a"
        variant="default"
        leftSection={<Download size={16} />}
        href={addressOf(`/configurations/${configuration.id}/export`)}
        download
      >
        Export
      </Button>
      <Button
        component={Link}
        {...({ to: "/configurations/$configurationId/edit", params: { configurationId: configuration.id } } as object)}
        leftSection={<SquarePen size={16} />}
        disabled={forbidden !== null}
        title={forbidden ?? undefined}
      >
        {draft === null ? "Edit" : "Edit the draft"}
      </Button>
    </PageHead>
  );
}

interface SelectProps {
  label: string;
  versions: Version[];
  value: string;
  onChange: (value: string) => void;
}

function VersionSelect({ label, versions, value, onChange }: SelectProps) {
  return (
    <Select
      size="xs"
      aria-label={label}
      allowDeselect={false}
      data={versions.map((version) => ({ value: String(version.number), label: versionWords(version) }))}
      value={value}
      onChange={(chosen) => onChange(chosen ?? value)}
    />
  );
}
