import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { FileMinus, FilePen, FilePlus } from "lucide-react";
import { api } from "~/api/client";
import { fileQuery } from "~/api/queries";
import type { Difference } from "~/api/types";
import { errorOf, ErrorPanel, RowsSkeleton } from "~/components/feedback";
import { ToneBadge } from "~/components/status";
import { isWorkbook } from "~/logic/formats";
import { load } from "~/shell/version";

const DiffView = lazy(() => load(() => import("~/components/editor/DiffView")));

const LOOKS = {
  added: { tone: "busy", icon: FilePlus, label: "Added" },
  removed: { tone: "bad", icon: FileMinus, label: "Removed" },
  changed: { tone: "busy", icon: FilePen, label: "Changed" },
} as const;

interface Props {
  configurationId: string;
  before: number;
  after: number;
}

/** How two versions differ, file by file, side by side. */
export default function VersionDiff({ configurationId, before, after }: Props) {
  const difference = useQuery({
    queryKey: ["configurations", "one", configurationId, "diff", before, after],
    queryFn: () =>
      api.get<Difference>(`/configurations/${configurationId}/diff`, { from_version: before, to_version: after }),
  });
  if (errorOf(difference)) return <ErrorPanel error={errorOf(difference)} onAgain={() => void difference.refetch()} />;
  if (!difference.data) return <RowsSkeleton />;
  if (difference.data.files.length === 0) return <Text c="dimmed">The two versions are the same.</Text>;
  return (
    <>
      {difference.data.files.map((file) => (
        <section
          key={file.path}
          className="card"
          style={{ marginBottom: 14, overflow: "hidden" }}
          aria-label={file.path}
        >
          <FileTitle {...file} />
          <FileDiff
            configurationId={configurationId}
            path={file.path}
            change={file.change}
            before={before}
            after={after}
          />
        </section>
      ))}
    </>
  );
}

interface FileProps {
  configurationId: string;
  path: string;
  change: keyof typeof LOOKS;
  before: number;
  after: number;
}

function FileDiff({ configurationId, path, change, before, after }: FileProps) {
  const isText = !isWorkbook(path);
  const first = useQuery({ ...fileQuery(configurationId, path, before), enabled: isText && change !== "added" });
  const second = useQuery({ ...fileQuery(configurationId, path, after), enabled: isText && change !== "removed" });
  if (!isText)
    return (
      <Text size="sm" c="dimmed" p="sm">
        A workbook: its cells are not compared here.
      </Text>
    );
  const error = errorOf(first) ?? errorOf(second);
  if (error) return <ErrorPanel error={error} />;
  if (first.isFetching || second.isFetching) return <RowsSkeleton rows={3} />;
  return (
    <Suspense fallback={<RowsSkeleton rows={3} />}>
      <DiffView before={first.data?.text ?? ""} after={second.data?.text ?? ""} path={path} />
    </Suspense>
  );
}

function FileTitle({ path, change }: Pick<FileProps, "path" | "change">) {
  return (
    <div
      style={{
        padding: "8px 14px",
        display: "flex",
        gap: 10,
        alignItems: "center",
        borderBottom: "1px solid var(--line)",
      }}
    >
      <ToneBadge {...LOOKS[change]} />
      <span className="mono">{path}</span>
    </div>
  );
}
