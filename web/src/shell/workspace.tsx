import { createContext, useContext } from "react";
import type { Role, Workspace } from "~/api/types";

export interface Here {
  workspace: Workspace;
  workspaces: Workspace[];
  choose: (id: string) => void;
}

export const WorkspaceContext = createContext<Here | null>(null);

/** The workspace the page is about. */
export function useWorkspace(): Here {
  const here = useContext(WorkspaceContext);
  if (!here) throw new Error("useWorkspace outside the shell");
  return here;
}

const RANK: Role[] = ["viewer", "operator", "author", "admin"];

/** Return why an action is not yours to do, or null when it is. */
export function useForbidden(needed: Role): string | null {
  const { workspace } = useWorkspace();
  const role = workspace.role as Role;
  if (RANK.indexOf(role) >= RANK.indexOf(needed)) return null;
  return `You are ${role === "viewer" ? "a" : "an"} ${role} here; this needs the role ${needed}.`;
}
