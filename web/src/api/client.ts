/** The one place that talks HTTP: JSON in, JSON out, and every error a Problem with a title, a detail and a trace id. */

const BASE = "/api/v1";

export class Problem extends Error {
  override name = "Problem";
  constructor(
    readonly status: number,
    readonly code: string,
    readonly title: string,
    readonly detail: string,
    readonly traceId: string | null,
    readonly retryAfterSeconds: number | null,
  ) {
    super(detail || title);
  }

  /** Whether there was no answer, or one of a proxy: the server may be back in a moment. */
  get isAway(): boolean {
    return [0, 502, 503, 504].includes(this.status);
  }
}

type Word = string | number | boolean;
/** A list repeats its name. */
export type Query = Record<string, Word | Word[] | null | undefined>;

interface Options {
  query?: Query;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** What a browser must prove in team mode: that this page, and no other site, sends the request. */
let csrfToken: string | null = null;

export function setCsrfToken(token: string | null): void {
  csrfToken = token;
}

export function addressOf(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const pairs = given.flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)]));
  const search = new URLSearchParams(pairs).toString();
  return `${BASE}${path}${search ? `?${search}` : ""}`;
}

export async function send(method: string, path: string, options: Options = {}): Promise<Response> {
  const headers = new Headers(options.headers);
  if (csrfToken && method !== "GET") headers.set("X-CSRF-Token", csrfToken);
  const isRaw = typeof options.body === "string" || options.body instanceof ArrayBuffer;
  if (options.body !== undefined && !headers.has("Content-Type"))
    headers.set("Content-Type", isRaw ? "text/plain; charset=utf-8" : "application/json");
  const body = options.body === undefined ? null : isRaw ? (options.body as BodyInit) : JSON.stringify(options.body);
  let response: Response;
  try {
    response = await fetch(addressOf(path, options.query), {
      method,
      headers,
      body,
      signal: options.signal ?? null,
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw unreachable();
  }
  if (!response.ok) throw problemFrom(response.status, await response.text(), response.headers.get("Retry-After"));
  return response;
}

export function unreachable(): Problem {
  return new Problem(0, "unreachable", "The server does not answer", "Check that ade serve is running.", null, null);
}

const BEHIND_PROXY = "A proxy answered instead. Try again in a moment.";

/** Read a problem from an answer, whatever a proxy may have made of it. */
export function problemFrom(status: number, body: string, retryAfter: string | null): Problem {
  const seconds = retryAfter && /^\d+$/.test(retryAfter) ? Number(retryAfter) : null;
  try {
    const sent = JSON.parse(body) as Record<string, unknown>;
    const text = (name: string): string => (typeof sent[name] === "string" ? sent[name] : "");
    return new Problem(
      status,
      text("code") || `http_${status}`,
      text("title") || `The server answered ${status}`,
      text("detail"),
      text("trace_id") || null,
      seconds,
    );
  } catch {
    if (status === 502 || status === 504)
      return new Problem(status, "unreachable", "The server does not answer", BEHIND_PROXY, null, seconds);
    return new Problem(status, `http_${status}`, `The server answered ${status}`, "", null, seconds);
  }
}

async function json<T>(method: string, path: string, options?: Options): Promise<T> {
  const response = await send(method, path, options);
  return (response.status === 204 ? undefined : await response.json()) as T;
}

export const api = {
  get: <T>(path: string, query?: Query, signal?: AbortSignal) =>
    json<T>("GET", path, { ...(query && { query }), ...(signal && { signal }) }),
  post: <T>(path: string, body?: unknown, headers?: Record<string, string>) =>
    json<T>("POST", path, { body: body ?? {}, ...(headers && { headers }) }),
  put: <T>(path: string, body: unknown, headers?: Record<string, string>) =>
    json<T>("PUT", path, { body, ...(headers && { headers }) }),
  patch: <T>(path: string, body: unknown, headers?: Record<string, string>) =>
    json<T>("PATCH", path, { body, ...(headers && { headers }) }),
  delete: (path: string, headers?: Record<string, string>) =>
    json<undefined>("DELETE", path, headers ? { headers } : {}),
  text: async (path: string, query?: Query, signal?: AbortSignal) => {
    const response = await send("GET", path, { ...(query && { query }), ...(signal && { signal }) });
    return { text: await response.text(), etag: response.headers.get("ETag") };
  },
};

/** Upload one file, telling how far it is. fetch cannot tell, so this is an XMLHttpRequest. */
export function upload<T>(
  path: string,
  file: File,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", addressOf(path));
    if (csrfToken) request.setRequestHeader("X-CSRF-Token", csrfToken);
    request.upload.onprogress = (event) => {
      if (event.lengthComputable) onProgress(event.loaded / event.total);
    };
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) resolve(JSON.parse(request.responseText) as T);
      else reject(problemFrom(request.status, request.responseText, request.getResponseHeader("Retry-After")));
    };
    request.onerror = () => reject(unreachable());
    request.onabort = () => reject(new DOMException("The upload was cancelled", "AbortError"));
    signal.addEventListener("abort", () => request.abort());
    const form = new FormData();
    form.append("file", file, file.name);
    request.send(form);
  });
}
