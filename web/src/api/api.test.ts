import { describe, expect, it } from "vitest";
import { addressOf, problemFrom } from "./client";
import { staleKeys } from "./stale";
import { EventParser } from "./sse";

describe("addresses", () => {
  it("leave out what is not given", () => {
    expect(addressOf("/runs", { status: "failed", cursor: null, name: "" })).toBe("/api/v1/runs?status=failed");
    expect(addressOf("/runs")).toBe("/api/v1/runs");
  });
});

describe("problems", () => {
  it("carry title, detail, code, trace id and when to come back", () => {
    const body = JSON.stringify({
      title: "The queue is full",
      detail: "6 wait",
      code: "run_queue_full",
      trace_id: "ab",
    });
    expect(problemFrom(429, body, "5")).toMatchObject({
      status: 429,
      code: "run_queue_full",
      detail: "6 wait",
      traceId: "ab",
      retryAfterSeconds: 5,
    });
  });
  it("are shown also when a proxy answered", () => {
    expect(problemFrom(502, "<html>Bad gateway</html>", null)).toMatchObject({
      code: "unreachable",
      title: "The server does not answer",
    });
  });
});

describe("the event stream", () => {
  it("is cut into events wherever the network cuts it", () => {
    const stream = ': still here\n\nid: 3\nevent: run.claimed\ndata: {"seq": 3}\n\nevent: end\ndata: {}\n\n';
    for (let size = 1; size < stream.length; size++) {
      const parser = new EventParser();
      const found = [];
      for (let start = 0; start < stream.length; start += size)
        found.push(...parser.take(stream.slice(start, start + size)));
      expect(found).toEqual([
        { id: "3", name: "run.claimed", data: '{"seq": 3}' },
        { id: null, name: "end", data: "{}" },
      ]);
    }
  });
});

describe("changes", () => {
  it("make stale what shows them", () => {
    expect(staleKeys("run.claimed")).toContain("queue");
    expect(staleKeys("configuration.published")).toContain("configurations");
    expect(staleKeys("something.else")).toEqual([]);
  });
});
