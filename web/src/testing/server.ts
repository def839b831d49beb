/** A server in memory, in the place of fetch: it answers what a test says, and remembers what it was asked. */
import { vi } from "vitest";

export interface Asked {
  method: string;
  path: string;
  query: URLSearchParams;
  body: unknown;
  headers: Headers;
}

type Answering = object | null | ((asked: Asked) => object | null);

/** An answer that is no success, as the API words it. */
export class Refusal {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly title: string,
    readonly detail = "",
  ) {}
}

class Text {
  constructor(
    readonly text: string,
    readonly etag = '"1"',
  ) {}
}

export class Server {
  readonly asked: Asked[] = [];
  private readonly answers = new Map<string, Answering>();

  constructor() {
    vi.stubGlobal("fetch", (address: string, options?: RequestInit) => this.answer(address, options ?? {}));
  }

  /** Say what is answered to "GET /runs/1"; a function is given what was asked. */
  on(call: string, answer: Answering): this {
    this.answers.set(call, answer);
    return this;
  }

  /** The requests that changed something. */
  get changes(): string[] {
    return this.asked.filter(({ method }) => method !== "GET").map(({ method, path }) => `${method} ${path}`);
  }

  last(call: string): Asked {
    const found = this.asked.findLast(({ method, path }) => `${method} ${path}` === call);
    if (!found)
      throw new Error(`Nobody asked ${call}, only ${this.asked.map((one) => `${one.method} ${one.path}`).join(", ")}`);
    return found;
  }

  private async answer(address: string, options: RequestInit): Promise<Response> {
    const url = new URL(address, "http://ade.test");
    const asked: Asked = {
      method: options.method ?? "GET",
      path: url.pathname.replace("/api/v1", ""),
      query: url.searchParams,
      body: typeof options.body === "string" ? parsed(options.body) : undefined,
      headers: new Headers(options.headers),
    };
    this.asked.push(asked);
    const answering = this.answers.get(`${asked.method} ${asked.path}`);
    const answer: unknown =
      typeof answering === "function" ? await (answering as (asked: Asked) => unknown)(asked) : answering;
    return responseOf(answer, asked);
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

function responseOf(answer: unknown, { method, path }: Asked): Response {
  if (answer === undefined)
    return problem(new Refusal(404, "not_found", "Not found", `Nothing answers ${method} ${path}.`));
  if (answer instanceof Refusal) return problem(answer);
  if (answer instanceof Response) return answer;
  if (answer instanceof Text) return new Response(answer.text, { headers: { ETag: answer.etag } });
  if (answer === null) return new Response(null, { status: 204 });
  return new Response(JSON.stringify(answer), { headers: { "Content-Type": "application/json", ETag: '"7"' } });
}

function problem({ status, code, title, detail }: Refusal): Response {
  return new Response(JSON.stringify({ code, title, detail, trace_id: "trace-1" }), { status });
}
