import { Button } from "@mantine/core";
import { FilePlus } from "lucide-react";
import { useState } from "react";
import type { CheckResult, ConfigurationFile } from "~/api/types";
import { NewFileModal } from "./NewFileModal";
import classes from "./workbench.module.css";

interface Props {
  configurationId: string;
  files: ConfigurationFile[];
  chosen: string | null;
  problems: CheckResult | undefined;
  onChoose: (path: string) => void;
  forbidden: string | null;
}

/** The files of the draft, by folder. */
export function FileTree({ configurationId, files, chosen, problems, onChoose, forbidden }: Props) {
  const [isNew, setNew] = useState(false);
  const broken = new Set((problems?.problems ?? []).map((problem) => problem.file));
  return (
    <nav className={classes.tree} aria-label="Files">
      {[...byFolder(files)].map(([folder, inside]) => (
        <Folder key={folder} folder={folder} files={inside} chosen={chosen} broken={broken} onChoose={onChoose} />
      ))}
      {!forbidden && (
        <Button
          mt="sm"
          size="compact-sm"
          variant="default"
          leftSection={<FilePlus size={14} />}
          onClick={() => setNew(true)}
        >
          New file…
        </Button>
      )}
      {isNew && (
        <NewFileModal
          configurationId={configurationId}
          paths={files.map((file) => file.path)}
          onMade={onChoose}
          onClose={() => setNew(false)}
        />
      )}
    </nav>
  );
}

function byFolder(files: ConfigurationFile[]): Map<string, ConfigurationFile[]> {
  const folders = new Map<string, ConfigurationFile[]>();
  for (const file of files) {
    const folder = file.path.includes("/") ? file.path.slice(0, file.path.lastIndexOf("/")) : "";
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  return folders;
}

interface FolderProps extends Pick<Props, "files" | "chosen" | "onChoose"> {
  folder: string;
  broken: ReadonlySet<string>;
}

function Folder({ folder, files, chosen, broken, onChoose }: FolderProps) {
  return (
    <div className={folder ? undefined : classes.root}>
      {folder && <div className={classes.folder}>{folder}</div>}
      {files.map((file) => (
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
  );
}
