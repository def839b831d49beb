import { Button, Group, Select, Stack, Table, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Archive, Check, Download, RotateCcw, SquarePen } from "lucide-react";
import { lazy, Suspense } from "react";
import { addressOf } from "~/api/client";
import { discardDraft, restoreVersion } from "~/api/drafts";
import { configurationQuery, recentRunsQuery, versionsQuery } from "~/api/queries";
import type { Version } from "~/api/types";
import { BackLink } from "~/components/BackLink";
import { PageProblem, RowsSkeleton, showDone, showProblem } from "~/components/feedback";
import { PageHead, usePageTitle } from "~/components/PageHead";
import { RunTable } from "~/components/RunTable";
import { ToneBadge } from "~/components/status";
import { Time } from "~/components/Time";
import { useForbidden, useWorkspace } from "~/shell/workspace";

const VersionDiff = lazy(() => import("./VersionDiff"));
const route = getRouteApi("/configurations/$configurationId");

export default function ConfigurationPage() {
  const { configurationId } = route.useParams();
  const { workspace } = useWorkspace();
  const forbidden = useForbidden("author");
  const configuration = useQuery(configurationQuery(configurationId));
  const versions = useQuery(versionsQuery(configurationId));
  const runs = useQuery(recentRunsQuery(workspace.id, { configuration_id: configurationId }, 20)).data?.items ?? [];
  usePageTitle(configuration.data?.name ?? "Configuration");
  const error = configuration.error ?? versions.error;
  if (error)
    return (
      <PageProblem
        error={error}
        onAgain={() => void configuration.refetch()}
        back={<BackLink to="/configurations" label="All configurations" />}
      />
    );
  if (!configuration.data || !versions.data) return <RowsSkeleton />;
  const { published_version: published, draft_version: draft, name } = configuration.data;
  return (
    <Stack gap="lg">
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
          href={addressOf(`/configurations/${configurationId}/export`)}
          download
        >
          Export
        </Button>
        <Button
          component={Link}
          {...({ to: "/configurations/$configurationId/edit", params: { configurationId } } as object)}
          leftSection={<SquarePen size={16} />}
          disabled={forbidden !== null}
          title={forbidden ?? undefined}
        >
          {draft === null ? "Edit" : "Edit the draft"}
        </Button>
      </PageHead>
      <Versions
        configurationId={configurationId}
        versions={versions.data.items}
        forbidden={forbidden}
        hasDraft={draft !== null}
      />
      <DiffChoice configurationId={configurationId} versions={versions.data.items} />
      {runs.length > 0 && (
        <section>
          <Title order={2} size="h4" mb="sm">
            Runs
          </Title>
          <RunTable runs={runs} label={`Runs of ${name}`} />
        </section>
      )}
    </Stack>
  );
}

interface VersionsProps {
  configurationId: string;
  versions: Version[];
  forbidden: string | null;
  hasDraft: boolean;
}

function Versions({ configurationId, versions, forbidden, hasDraft }: VersionsProps) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: ["configurations"] });
  const restore = useMutation({
    mutationFn: (number: number) => restoreVersion(configurationId, number),
    onSuccess: async () => {
      await refresh();
      void navigate({ to: "/configurations/$configurationId/edit", params: { configurationId } });
    },
    onError: showProblem,
  });
  const discard = useMutation({
    mutationFn: (number: number) => discardDraft(configurationId, number),
    onSuccess: async () => {
      await refresh();
      showDone("The draft is discarded");
    },
    onError: showProblem,
  });
  return (
    <section className="card" style={{ overflowX: "auto" }} aria-label="Versions" tabIndex={0}>
      <Table verticalSpacing="xs" horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Version</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Note</Table.Th>
            <Table.Th visibleFrom="sm">By</Table.Th>
            <Table.Th visibleFrom="sm">When</Table.Th>
            <Table.Th>
              <span className="only-sr">Actions</span>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {versions.map((version) => (
            <Table.Tr key={version.number}>
              <Table.Td className="num">{version.number}</Table.Td>
              <Table.Td>
                <VersionBadge version={version} />
              </Table.Td>
              <Table.Td miw={180}>
                {version.note ?? ""}
                <Text size="xs" c="dimmed" hiddenFrom="sm">
                  {version.created_by}, <Time at={version.published_at ?? version.created_at} />
                </Text>
              </Table.Td>
              <Table.Td visibleFrom="sm">{version.created_by ?? "–"}</Table.Td>
              <Table.Td visibleFrom="sm" style={{ whiteSpace: "nowrap" }}>
                <Time at={version.published_at ?? version.created_at} />
              </Table.Td>
              <Table.Td ta="right">
                {version.status === "draft" ? (
                  <Button
                    size="compact-xs"
                    variant="default"
                    disabled={forbidden !== null}
                    title={forbidden ?? undefined}
                    onClick={() => discard.mutate(version.number)}
                  >
                    Discard
                  </Button>
                ) : (
                  <Button
                    size="compact-xs"
                    variant="default"
                    leftSection={<RotateCcw size={13} />}
                    disabled={forbidden !== null || hasDraft}
                    title={forbidden ?? (hasDraft ? "Publish or discard the draft first" : undefined)}
                    onClick={() => restore.mutate(version.number)}
                  >
                    Restore as draft
                  </Button>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

function VersionBadge({ version }: { version: Version }) {
  if (version.status === "published") return <ToneBadge label="Published" tone="good" icon={Check} />;
  if (version.status === "draft") return <ToneBadge label="Draft" tone="warn" icon={SquarePen} />;
  return <ToneBadge label="Archived" tone="quiet" icon={Archive} />;
}

function DiffChoice({ configurationId, versions }: { configurationId: string; versions: Version[] }) {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/configurations/$configurationId" });
  if (versions.length < 2) return null;
  const numbers = versions.map((version) => String(version.number));
  const before = search.before ?? numbers[1] ?? "";
  const after = search.after ?? numbers[0] ?? "";
  const data = numbers.map((number) => ({ value: number, label: `Version ${number}` }));
  return (
    <section aria-label="Difference">
      <Title order={2} size="h4" mb="sm">
        Difference
      </Title>
      <Group mb="sm">
        <Select
          size="xs"
          aria-label="From version"
          allowDeselect={false}
          data={data}
          value={before}
          onChange={(value) =>
            void navigate({ search: { before: value ?? before, after }, replace: true, resetScroll: false })
          }
        />
        <Text size="sm">to</Text>
        <Select
          size="xs"
          aria-label="To version"
          allowDeselect={false}
          data={data}
          value={after}
          onChange={(value) =>
            void navigate({ search: { before, after: value ?? after }, replace: true, resetScroll: false })
          }
        />
      </Group>
      <Suspense fallback={<RowsSkeleton />}>
        <VersionDiff configurationId={configurationId} before={Number(before)} after={Number(after)} />
      </Suspense>
    </section>
  );
}
