/** What people do. Each call is one request, and pages hear of its effect through the live stream too. */
import type { Place } from "~/logic/reorder";
import { api, send, upload } from "./client";
import type { Document, Pause, Plan, Run } from "./types";

export interface RunsOrder {
  configurationId: string;
  documentIds: string[];
  priority: number;
  /** The sheets to read; all without. */
  sheets?: string[];
}

/** Queue runs. The key is that of the intent: sent again, it is answered as before, and nothing runs twice. */
export async function submitRuns(key: string, order: RunsOrder): Promise<Run[]> {
  const path = `/configurations/${order.configurationId}/runs`;
  const headers = { "Idempotency-Key": key };
  const wish = { priority: order.priority, ...(order.sheets?.length && { sheets: order.sheets }) };
  const [only] = order.documentIds;
  if (order.documentIds.length === 1 && only)
    return [await api.post<Run>(path, { input_document_id: only, ...wish }, headers)];
  const all = { input_document_ids: order.documentIds, ...wish };
  return (await api.post<{ runs: Run[] }>(`${path}/batch`, all, headers)).runs;
}

export const cancelRun = (id: string) => api.post<Run>(`/runs/${id}/cancel`);

export const runAgain = (key: string, id: string) =>
  api.post<Run>(`/runs/${id}/run-again`, {}, { "Idempotency-Key": key });

export const cancelPlan = (id: string) => api.post<Plan>(`/plans/${id}/cancel`);

export const setPriority = (id: string, priority: number, reason?: string) =>
  api.patch<Run>(`/runs/${id}`, { priority, ...(reason && { reason }) });

/** Put a run before or after another, if the order is still this version; return the version that makes. */
export async function moveRun(id: string, place: Place, version: number): Promise<number> {
  const response = await send("PUT", `/queue/${id}/position`, { body: place, headers: { "If-Match": `"${version}"` } });
  return Number((response.headers.get("ETag") ?? "").replaceAll('"', ""));
}

export const pauseQueue = (scope: Pause["scope"], value: string | null, reason: string) =>
  api.post<Pause>("/queue/pauses", { scope, ...(value && { value }), reason });

export const resumeQueue = (id: string) => api.delete(`/queue/pauses/${id}`);

export const testRun = (configurationId: string, documentId: string) =>
  api.post<Run>(`/configurations/${configurationId}/test-run`, { input_document_id: documentId });

export const chooseEncoding = (documentId: string, encoding: string) =>
  api.patch<Document>(`/documents/${documentId}`, { encoding });

export const uploadBytes = (workspaceId: string, name: string, content: Blob): Promise<Document> => {
  const file = new File([content], name, { type: content.type });
  return upload<Document>(`/workspaces/${workspaceId}/documents`, file, () => undefined, new AbortController().signal);
};

/** A key no other request has. Not randomUUID: browsers withhold that from pages served without TLS. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(16)).join("");
}
