import { Button, Text, Tooltip } from "@mantine/core";
import { useMutation, useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { FlaskConical, Rocket } from "lucide-react";
import { useState, type ReactNode } from "react";
import { testRun } from "~/api/actions";
import { addressOf } from "~/api/client";
import { ensureDraft } from "~/api/drafts";
import { configurationQuery, encodePath, fileQuery, filesQuery, runQuery, checkQuery } from "~/api/queries";
import type { CheckResult, Configuration, ConfigurationFile } from "~/api/types";
import { BackLink } from "~/components/BackLink";
import { errorOf, ErrorPanel, RowsSkeleton, showProblem } from "~/components/feedback";
import { PageHead, usePageTitle } from "~/components/PageHead";
import { isWorkbook } from "~/logic/formats";
import { withMod } from "~/logic/platform";
import { useForbidden } from "~/shell/workspace";
import { FileEditor } from "./FileEditor";
import { FileMenu } from "./FileMenu";
import { FileTree } from "./FileTree";
import { saveAll } from "./openFiles";
import { Problems } from "./Problems";
import { PublishModal } from "./PublishModal";
import { SamplePane } from "./SamplePane";
import classes from "./workbench.module.css";

const route = getRouteApi("/configurations/$configurationId/edit");

type Search = ReturnType<typeof route.useSearch>;

export default function WorkbenchPage() {
  const { configurationId } = route.useParams();
  const configuration = useQuery(configurationQuery(configurationId));
  const files = useQuery(filesQuery(configurationId, null));
  usePageTitle(configuration.data ? `Edit ${configuration.data.name}` : "Edit");
  const error = errorOf(configuration) ?? errorOf(files);
  if (error) return <ErrorPanel error={error} onAgain={() => void files.refetch()} />;
  if (!configuration.data || !files.data) return <RowsSkeleton rows={10} />;
  return <Workbench configuration={configuration.data} files={files.data.items} />;
}

/** Files, the editor, and what a sample becomes: edit, test, publish. */
function Workbench({ configuration, files }: { configuration: Configuration; files: ConfigurationFile[] }) {
  const search = route.useSearch();
  const keep = useKeep(search);
  const check = useQuery(checkQuery(configuration.id));
  const forbidden = useForbidden("author");
  const [isPublishing, setPublishing] = useState(false);
  const path = (files.find((file) => file.path === search.file) ?? files[0])?.path ?? null;
  const test = useTestRun(configuration.id, search, (run, before) => keep({ run, ...(before && { before }) }));
  const shared = { configurationId: configuration.id, files, forbidden };
  const why = forbidden ?? (search.document ? null : "Choose a document on the right first");
  const head = { configuration, forbidden, why, test };
  return (
    <>
      <BenchHead {...head} onPublish={() => setPublishing(true)} />
      <div className={classes.bench}>
        <FileTree {...shared} chosen={path} problems={check.data} onChoose={(file) => keep({ file })} />
        <Middle
          {...shared}
          path={path}
          files={files}
          check={check}
          keep={keep}
          onRun={() => why === null && test.mutate()}
        />
        <SamplePane
          {...shared}
          {...sampleOf(search)}
          configuration={configuration}
          file={path}
          onChoose={(document) => keep({ document, run: undefined, before: undefined })}
        />
      </div>
      {isPublishing && (
        <PublishModal configuration={configuration} check={check.data} onClose={() => setPublishing(false)} />
      )}
    </>
  );
}

interface OpenFileProps {
  configurationId: string;
  path: string;
  isReadOnly: boolean;
  fields: readonly string[];
  check: CheckResult | undefined;
  line: number | null;
  find: string | null;
  onSaved: () => void;
  onRun: () => void;
  actions: ReactNode;
}

function OpenFile(props: OpenFileProps) {
  return isWorkbook(props.path) ? <WorkbookFile {...props} /> : <TextFile {...props} />;
}

/** A workbook is no text: an editor would show signs without meaning, and spoil it with the first key. */
function WorkbookFile({ configurationId, path, actions }: OpenFileProps) {
  return (
    <>
      <div className={classes.fileBar}>
        <span className="mono">{path}</span>
        <span style={{ flex: 1 }} />
        {actions}
      </div>
      <div className={classes.editor}>
        <Text p="md" size="sm">
          This is a workbook, which cannot be edited here.{" "}
          <a
            className="link"
            href={addressOf(`/configurations/${configurationId}/files/${encodePath(path)}`)}
            download={path.slice(path.lastIndexOf("/") + 1)}
          >
            Download it
          </a>
        </Text>
      </div>
    </>
  );
}

function TextFile(props: OpenFileProps) {
  // What was read on an earlier visit may have been changed since: by a correction, or by someone else.
  const file = useQuery({ ...fileQuery(props.configurationId, props.path, null), staleTime: 0 });
  if (errorOf(file)) return <ErrorPanel error={errorOf(file)} onAgain={() => void file.refetch()} />;
  if (!file.data || !file.isFetchedAfterMount) return <RowsSkeleton rows={12} />;
  return <FileEditor {...props} first={file.data} />;
}

interface HeadProps {
  configuration: Configuration;
  forbidden: string | null;
  /** Why nothing can be tested; null when it can. */
  why: string | null;
  test: { mutate: () => void; isPending: boolean };
  onPublish: () => void;
}

function BenchHead(props: HeadProps) {
  const { configuration } = props;
  return (
    <PageHead
      before={
        <BackLink
          to="/configurations/$configurationId"
          params={{ configurationId: configuration.id }}
          label={configuration.name}
        />
      }
      title={
        configuration.draft_version === null
          ? `Version ${configuration.published_version}`
          : `Version ${configuration.draft_version}, a draft`
      }
      note={
        configuration.draft_version === null
          ? "The first change starts a draft"
          : "Saved as you type; runs use it only once it is published"
      }
    >
      <BenchActions {...props} />
    </PageHead>
  );
}

function BenchActions({ configuration, forbidden, why, test, onPublish }: HeadProps) {
  return (
    <>
      <Tooltip label={why ?? `Run the document with the draft (${withMod("Enter")})`}>
        <Button
          variant="default"
          leftSection={<FlaskConical size={16} />}
          loading={test.isPending}
          disabled={why !== null}
          onClick={() => test.mutate()}
        >
          Test run
        </Button>
      </Tooltip>
      <Button
        leftSection={<Rocket size={16} />}
        disabled={forbidden !== null || configuration.draft_version === null}
        title={forbidden ?? (configuration.draft_version === null ? "There is no draft yet" : undefined)}
        onClick={() => void saveAll(configuration.id).then((isSaved) => isSaved && onPublish())}
      >
        Publish…
      </Button>
    </>
  );
}

interface MiddleProps {
  configurationId: string;
  path: string | null;
  files: ConfigurationFile[];
  forbidden: string | null;
  check: UseQueryResult<CheckResult>;
  keep: (part: Partial<Search>) => void;
  onRun: () => void;
}

/** The open file, and what is wrong in the draft. */
function Middle({ configurationId, path, files, forbidden, check, keep, onRun }: MiddleProps) {
  const search = route.useSearch();
  return (
    <div className={classes.middle}>
      {path ? (
        <OpenFile
          key={path}
          configurationId={configurationId}
          path={path}
          isReadOnly={forbidden !== null}
          fields={fieldsOf(files)}
          check={check.data}
          line={search.line ? Number(search.line) : null}
          find={search.find ?? null}
          onSaved={() => void check.refetch()}
          onRun={onRun}
          actions={
            forbidden === null && (
              <FileMenu configurationId={configurationId} path={path} onMoved={(file) => keep({ file })} />
            )
          }
        />
      ) : (
        <Text p="md" c="dimmed">
          There is no file yet.
        </Text>
      )}
      <Problems check={check.data} error={check.error} onOpen={(file, line) => keep({ file, line: String(line) })} />
    </div>
  );
}

/** The names of the fields, by their files. */
const fieldsOf = (files: ConfigurationFile[]): string[] =>
  files.flatMap(({ path }) => /^columns\/(\w+)\.py$/u.exec(path)?.[1] ?? []);

/** Tests the draft with the chosen document, once everything typed is saved. */
function useTestRun(configurationId: string, search: Search, onStarted: (run: string, before: string | null) => void) {
  const client = useQueryClient();
  const last = useQuery({ ...runQuery(search.run ?? ""), enabled: search.run !== undefined }).data;
  return useMutation({
    mutationFn: async () => {
      if (!(await saveAll(configurationId))) throw new Error("A file could not be saved, so nothing was tested.");
      await ensureDraft(configurationId);
      return testRun(configurationId, search.document ?? "");
    },
    onSuccess: async (run) => {
      await client.invalidateQueries({ queryKey: ["configurations"] });
      // A run without a result is nothing to compare with: then the one before it stays.
      onStarted(run.id, last?.status === "succeeded" ? last.id : null);
    },
    onError: showProblem,
  });
}

/** Changes the address; a line or a text that it led to is left behind. */
function useKeep(search: Search): (part: { [Name in keyof Search]?: Search[Name] | undefined }) => void {
  const navigate = useNavigate({ from: "/configurations/$configurationId/edit" });
  return (part) =>
    void navigate({
      search: { ...search, line: undefined, find: undefined, ...part } as Search,
      replace: true,
      resetScroll: false,
    });
}

/** The document of a test, its result, and what to compare that with. */
function sampleOf({ document, run, before }: Search) {
  return { documentId: document ?? null, runId: run ?? null, beforeId: before ?? null };
}
