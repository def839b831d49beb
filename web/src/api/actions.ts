/** What people do. Each call is one request, and pages hear of its effect through the live stream too. */
import { api, upload } from "./client";
import type { Document, Pause, Run } from "./types";

export async function submitRuns(configurationId: string, documentIds: string[], priority: number): Promise<Run[]> {
  const path = `/configurations/${configurationId}/runs`;
  const key = { "Idempotency-Key": newKey() };
  const [only] = documentIds;
  if (documentIds.length === 1 && only) return [await api.post<Run>(path, { input_document_id: only, priority }, key)];
  const answer = await api.post<{ runs: Run[] }>(`${path}/batch`, { input_document_ids: documentIds, priority }, key);
  return answer.runs;
}

export const cancelRun = (id: string) => api.post<Run>(`/runs/${id}/cancel`);

export const runAgain = (id: string) => api.post<Run>(`/runs/${id}/run-again`);

export const setPriority = (id: string, priority: number, reason?: string) =>
  api.patch<Run>(`/runs/${id}`, { priority, ...(reason && { reason }) });

export const moveRun = (id: string, place: { before: string } | { after: string }, version: number) =>
  api.put<unknown>(`/queue/${id}/position`, place, { "If-Match": `"${version}"` });

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
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(16)).join("");
}
