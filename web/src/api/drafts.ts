/** Changes to a configuration: always in its draft, never in what is published. */
import { api, send } from "./client";
import { encodePath } from "./queries";
import type { CaseReports, ChosenField, Configuration, ConfigurationFile, Listed } from "./types";

/** Make sure there is a draft. */
export async function ensureDraft(configurationId: string): Promise<number> {
  const configuration = await api.get<Configuration>(`/configurations/${configurationId}`);
  if (configuration.draft_version !== null) return configuration.draft_version;
  const made = await api.post<{ number: number }>(`/configurations/${configurationId}/versions`, {});
  return made.number;
}

export const readFile = (configurationId: string, path: string) =>
  api.text(`/configurations/${configurationId}/files/${encodePath(path)}`);

/** Write a file of the draft; an ETag guards against overwriting what someone else wrote. */
export async function writeFile(
  configurationId: string,
  path: string,
  content: string,
  etag: string | null,
): Promise<string | null> {
  const headers: Record<string, string> = etag ? { "If-Match": etag } : { "If-None-Match": "*" };
  const address = `/configurations/${configurationId}/files/${encodePath(path)}`;
  const response = await send("PUT", address, { body: content, headers });
  return response.headers.get("ETag");
}

export interface FileEdit {
  path: string;
  /** The new text; null removes the file. */
  content: string | null;
  /** The ETag of the file that was read; null: there must be none yet. */
  if_match: string | null;
}

/** Change files of the draft, all of them or none; return those that were written. */
export async function changeFiles(configurationId: string, files: FileEdit[]): Promise<ConfigurationFile[]> {
  const answer = await api.patch<Listed<ConfigurationFile>>(`/configurations/${configurationId}/files`, { files });
  return answer.items;
}

/** Make a configuration from a template, or from a zip archive. */
export async function createConfiguration(
  workspaceId: string,
  name: string,
  from: string | File | null,
): Promise<Configuration> {
  const path = `/workspaces/${workspaceId}/configurations`;
  if (!(from instanceof File)) return api.post<Configuration>(path, { name, template: from ?? "example" });
  const body = await from.arrayBuffer();
  const response = await send("POST", path, { query: { name }, body, headers: { "Content-Type": "application/zip" } });
  return (await response.json()) as Configuration;
}

/** Make a configuration with a draft from fields of an example document. */
export const createFromDocument = (workspaceId: string, name: string, documentId: string, fields: ChosenField[]) =>
  api.post<Configuration>(`/workspaces/${workspaceId}/configurations`, {
    name,
    from_document_id: documentId,
    fields,
  });

/** Start a draft from an older version: what it said is what the draft says. */
export const restoreVersion = (configurationId: string, number: number) =>
  api.post<{ number: number }>(`/configurations/${configurationId}/versions`, { from_version: number });

export const discardDraft = (configurationId: string, number: number) =>
  api.delete(`/configurations/${configurationId}/versions/${number}`);

export const publishDraft = (configurationId: string, note: string, isUntested = false) =>
  api.post<unknown>(`/configurations/${configurationId}/publish`, { note: note || null, skip_tests: isUntested });

/** Have a worker run the cases of the draft, once for the files it has now. */
export const startTests = (configurationId: string) =>
  api.post<CaseReports>(`/configurations/${configurationId}/tests`, {});

export const readTests = (configurationId: string) => api.get<CaseReports>(`/configurations/${configurationId}/tests`);

/** Make the document and the output of a run a case of the draft. */
export const saveCase = (configurationId: string, runId: string) =>
  api.post<{ name: string }>(`/configurations/${configurationId}/cases`, { run_id: runId });
