import { Button, Group, Text, TextInput, Tooltip } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { ArrowLeft, FilePlus, FlaskConical, Rocket } from "lucide-react";
import { useCallback, useRef, useState, type FormEvent } from "react";
import { testRun } from "~/api/actions";
import { checkDraft, ensureDraft, writeFile } from "~/api/drafts";
import { configurationQuery, fileQuery, filesQuery } from "~/api/queries";
import type { CheckResult, Configuration, ConfigurationFile } from "~/api/types";
import { ErrorPanel, RowsSkeleton, showProblem } from "~/components/feedback";
import { PageHead, usePageTitle } from "~/components/PageHead";
import { fieldName } from "~/logic/correct";
import { useForbidden } from "~/shell/workspace";
import { FileEditor } from "./FileEditor";
import { Problems } from "./Problems";
import { PublishModal } from "./PublishModal";
import { SamplePane } from "./SamplePane";
import classes from "./workbench.module.css";

const route = getRouteApi("/configurations/$configurationId/edit");

export default function WorkbenchPage() {
  const { configurationId } = route.useParams();
  const configuration = useQuery(configurationQuery(configurationId));
  const files = useQuery(filesQuery(configurationId, null));
  usePageTitle(configuration.data ? `Edit ${configuration.data.name}` : "Edit");
  const error = configuration.error ?? files.error;
  if (error) return <ErrorPanel error={error} onAgain={() => void files.refetch()} />;
  if (!configuration.data || !files.data) return <RowsSkeleton rows={10} />;
  return <Workbench configuration={configuration.data} files={files.data.items} />;
}

/** Files, the editor, and what a sample becomes: edit, test, publish. */
function Workbench({ configuration, files }: { configuration: Configuration; files: ConfigurationFile[] }) {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/configurations/$configurationId/edit" });
  const client = useQueryClient();
  const forbidden = useForbidden("author");
  const [isPublishing, setPublishing] = useState(false);
  const saveNow = useRef<() => Promise<boolean>>(() => Promise.resolve(true));
  const keepSave = useCallback((save: () => Promise<boolean>): void => {
    saveNow.current = save;
  }, []);
  const path = files.find((file) => file.path === search.file)?.path ?? files[0]?.path ?? null;
  const keep = (part: Partial<typeof search>): void =>
    void navigate({
      search: { ...search, line: undefined, find: undefined, ...part } as typeof search,
      replace: true,
      resetScroll: false,
    });
  const check = useQuery({
    queryKey: ["configurations", "one", configuration.id, "check"],
    queryFn: () => checkDraft(configuration.id),
    staleTime: 0,
  });
  const test = useMutation({
    mutationFn: async () => {
      if (!(await saveNow.current())) throw new Error("The file could not be saved, so nothing was tested.");
      await ensureDraft(configuration.id);
      return testRun(configuration.id, search.document ?? "");
    },
    onSuccess: async (run) => {
      await client.invalidateQueries({ queryKey: ["configurations"] });
      keep({ run: run.id, ...(search.run && { before: search.run }) });
    },
    onError: showProblem,
  });
  const why = forbidden ?? (search.document ? null : "Choose a document on the right first");
  return (
    <>
      <PageHead
        before={
          <Link to="/configurations/$configurationId" params={{ configurationId: configuration.id }} className="link">
            <ArrowLeft size={14} aria-hidden style={{ verticalAlign: -2 }} /> {configuration.name}
          </Link>
        }
        title={
          configuration.draft_version === null
            ? `Version ${configuration.published_version}`
            : `Draft of version ${configuration.draft_version}`
        }
        note={
          configuration.draft_version === null
            ? "The first change starts a draft"
            : "Saved as you type; runs use it only once it is published"
        }
      >
        <Tooltip label={why ?? "Run the document with the draft (⌘↵)"}>
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
          onClick={() => void saveNow.current().then((isSaved) => isSaved && setPublishing(true))}
        >
          Publish…
        </Button>
      </PageHead>
      <div className={classes.bench}>
        <Tree
          configurationId={configuration.id}
          files={files}
          chosen={path}
          problems={check.data}
          onChoose={(file) => keep({ file })}
          forbidden={forbidden}
        />
        <div className={classes.middle}>
          {path ? (
            <OpenFile
              key={path}
              configurationId={configuration.id}
              path={path}
              isReadOnly={forbidden !== null}
              check={check.data}
              line={search.line ? Number(search.line) : null}
              find={search.find ?? null}
              onSaved={() => void check.refetch()}
              onRun={() => why === null && test.mutate()}
              onReady={keepSave}
            />
          ) : (
            <Text p="md" c="dimmed">
              There is no file yet.
            </Text>
          )}
          <Problems check={check.data} onOpen={(file, line) => keep({ file, line: String(line) })} />
        </div>
        <SamplePane
          configuration={configuration}
          documentId={search.document ?? null}
          runId={search.run ?? null}
          beforeId={search.before ?? null}
          onChoose={(document) => keep({ document, run: undefined, before: undefined } as Partial<typeof search>)}
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
  check: CheckResult | undefined;
  line: number | null;
  find: string | null;
  onSaved: () => void;
  onRun: () => void;
  onReady: (save: () => Promise<boolean>) => void;
}

function OpenFile(props: OpenFileProps) {
  const file = useQuery(fileQuery(props.configurationId, props.path, null));
  if (file.error) return <ErrorPanel error={file.error} onAgain={() => void file.refetch()} />;
  if (!file.data) return <RowsSkeleton rows={12} />;
  return <FileEditor {...props} first={file.data} />;
}

interface TreeProps {
  configurationId: string;
  files: ConfigurationFile[];
  chosen: string | null;
  problems: CheckResult | undefined;
  onChoose: (path: string) => void;
  forbidden: string | null;
}

function Tree({ configurationId, files, chosen, problems, onChoose, forbidden }: TreeProps) {
  const broken = new Set((problems?.problems ?? []).map((problem) => problem.file));
  const folders = new Map<string, ConfigurationFile[]>();
  for (const file of files) {
    const folder = file.path.includes("/") ? file.path.slice(0, file.path.lastIndexOf("/")) : "";
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  return (
    <nav className={classes.tree} aria-label="Files">
      {[...folders].map(([folder, inside]) => (
        <div key={folder} className={folder ? undefined : classes.root}>
          {folder && <div className={classes.folder}>{folder}</div>}
          {inside.map((file) => (
            <button
              key={file.path}
              type="button"
              data-broken={broken.has(file.path) || undefined}
              aria-current={file.path === chosen}
              onClick={() => onChoose(file.path)}
            >
              {file.path.slice(folder ? folder.length + 1 : 0)}
            </button>
          ))}
        </div>
      ))}
      {!forbidden && <NewFile configurationId={configurationId} onMade={onChoose} />}
    </nav>
  );
}

function NewFile({ configurationId, onMade }: { configurationId: string; onMade: (path: string) => void }) {
  const client = useQueryClient();
  const [name, setName] = useState("");
  const field = fieldName(name);
  const make = useMutation({
    mutationFn: async () => {
      await ensureDraft(configurationId);
      const label = name.trim().replaceAll('"', "");
      await writeFile(
        configurationId,
        `columns/${field}.py`,
        `from ade_engine import Field\n\nfield = Field("${field}", label="${label}")\n`,
        null,
      );
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["configurations"] });
      setName("");
      onMade(`columns/${field}.py`);
    },
    onError: showProblem,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (name.trim()) make.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Group gap={4} mt="sm" wrap="nowrap">
        <TextInput
          size="xs"
          placeholder="New field"
          aria-label="New field"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" size="xs" px={6} variant="default" loading={make.isPending} aria-label="Add the field">
          <FilePlus size={14} />
        </Button>
      </Group>
    </form>
  );
}
