/** Changes to a configuration: always in its draft, never in what is published. */
import { addAlias, newField } from "~/logic/correct";
import { testRun } from "./actions";
import { api, Problem, send } from "./client";
import { encodePath } from "./queries";
import type { CheckResult, Configuration, Run } from "./types";

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

export interface ColumnCorrection {
  header: string;
  field: { name: string; label?: string; file?: string };
  isNew: boolean;
}

/** Add the header to the names of the right field in the draft, and run the document with it. */
export async function correctColumn(run: Run, wanted: ColumnCorrection): Promise<Run> {
  await ensureDraft(run.configuration_id);
  if (wanted.isNew) {
    const made = newField(wanted.field.name, wanted.field.label ?? wanted.field.name, wanted.header);
    await writeFile(run.configuration_id, made.path, made.content, null);
  } else {
    const path = wanted.field.file ?? `columns/${wanted.field.name}.py`;
    const { text, etag } = await readFile(run.configuration_id, path);
    const corrected = addAlias(path, text, wanted.header);
    if (!corrected)
      throw new Problem(
        0,
        "not_understood",
        "The rule file was not understood",
        `Add the name to ${path} in the workbench.`,
        null,
        null,
      );
    if (corrected.content !== text) await writeFile(run.configuration_id, path, corrected.content, etag);
  }
  return testRun(run.configuration_id, run.input_document_id);
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

/** Start a draft from an older version: what it said is what the draft says. */
export const restoreVersion = (configurationId: string, number: number) =>
  api.post<{ number: number }>(`/configurations/${configurationId}/versions`, { from_version: number });

export const discardDraft = (configurationId: string, number: number) =>
  api.delete(`/configurations/${configurationId}/versions/${number}`);

export const publishDraft = (configurationId: string, note: string) =>
  api.post<unknown>(`/configurations/${configurationId}/publish`, note ? { note } : {});

export const checkDraft = (configurationId: string) =>
  api.post<CheckResult>(`/configurations/${configurationId}/check`);

export const deleteFile = (configurationId: string, path: string, etag: string) =>
  api.delete(`/configurations/${configurationId}/files/${encodePath(path)}`, { "If-Match": etag });
