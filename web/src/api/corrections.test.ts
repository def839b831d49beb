// @vitest-environment jsdom
import { beforeEach, describe, expect, it } from "vitest";
import { Refusal, Server, Text } from "~/testing/server";
import { run } from "~/testing/things";
import { Problem } from "./client";
import { correctColumn, undoCorrection, undoOf } from "./corrections";

const BASE = "/configurations/c1";
const MEMBER = 'from ade_engine import Field\n\nfield = Field("member_id", label="Member ID", aliases=["No"])\n';
const CITY = 'from ade_engine import Field\n\nfield = Field("city", label="City", aliases=["Town"])\n';
const before = run({ id: "r1", configuration_id: "c1", input_document_id: "d1" });
const valid = { is_valid: true, problems: [] };
const problem = (message: string) => ({
  is_valid: false,
  problems: [{ file: "columns/city.py", line: 3, severity: "error", message }],
});

/** A configuration of two fields, whose edits are valid and whose test run is r2. */
function server(): Server {
  return new Server()
    .on(`GET ${BASE}/files`, {
      items: ["columns/member_id.py", "columns/city.py", "notes.md"].map((path) => ({ path })),
    })
    .on(`GET ${BASE}/files/columns/member_id.py`, new Text(MEMBER, '"m1"'))
    .on(`GET ${BASE}/files/columns/city.py`, new Text(CITY, '"c1"'))
    .on(`POST ${BASE}/check`, valid)
    .on(`PATCH ${BASE}/files`, {
      items: [
        { path: "columns/member_id.py", sha256: "m2" },
        { path: "columns/city.py", sha256: "c2" },
      ],
    })
    .on(`POST ${BASE}/test-run`, run({ id: "r2" }));
}

const raised = async (work: Promise<unknown>): Promise<Problem> => {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Problem)) throw new Error(`It raised ${String(error)}`);
  return error;
};

beforeEach(() => sessionStorage.clear());

describe("a correction", () => {
  it("gives the header to one field and takes it from the other, in one request with the tags that were read", async () => {
    const asked = server();
    const { run: made, file } = await correctColumn(before, "Town", { field: "member_id" });
    expect([made.id, file]).toEqual(["r2", "columns/member_id.py"]);
    expect(asked.changes).toEqual([`POST ${BASE}/check`, `PATCH ${BASE}/files`, `POST ${BASE}/test-run`]);
    expect(asked.last(`PATCH ${BASE}/files`).body).toEqual({
      files: [
        { path: "columns/member_id.py", content: MEMBER.replace('"No"', '"No", "Town"'), if_match: '"m1"' },
        { path: "columns/city.py", content: CITY.replace('"Town"', ""), if_match: '"c1"' },
      ],
    });
  });

  it("reads only the files that name columns or headers", async () => {
    const asked = server();
    await correctColumn(before, "Town", { field: "member_id" });
    expect(asked.asked.map(({ path }) => path)).not.toContain(`${BASE}/files/notes.md`);
  });

  it("writes a new field into a file of its own, which must not exist yet", async () => {
    const asked = server();
    await correctColumn(before, "Postal code", { label: "Postal code" });
    const { files } = asked.last(`PATCH ${BASE}/files`).body as { files: { path: string; if_match: string | null }[] };
    expect(files.map(({ path, if_match }) => [path, if_match])).toEqual([["columns/postal_code.py", null]]);
  });

  it("only runs the document when the draft says so already, and makes sure that there is one", async () => {
    const asked = server().on(`GET ${BASE}`, { draft_version: null }).on(`POST ${BASE}/versions`, { number: 2 });
    const { file } = await correctColumn(before, "No", { field: "member_id" });
    expect(file).toBeNull();
    expect(asked.changes).toEqual([`POST ${BASE}/versions`, `POST ${BASE}/test-run`]);
    expect(undoOf("r2")).toBeNull();
  });
});

describe("a correction that cannot be made", () => {
  it("saves nothing when the configuration would not build", async () => {
    const asked = server().on(`POST ${BASE}/check`, ({ body }) =>
      (body as { files: unknown[] }).files.length > 0 ? problem("two fields have one name") : valid,
    );
    const error = await raised(correctColumn(before, "Town", { field: "member_id" }));
    expect(error.title).toBe("The configuration would not build");
    expect(error.detail).toContain("columns/city.py, line 3: two fields have one name. Nothing was saved.");
    expect(asked.changes).not.toContain(`PATCH ${BASE}/files`);
  });

  it("says so when the draft had errors before", async () => {
    server().on(`POST ${BASE}/check`, problem("invalid syntax"));
    const error = await raised(correctColumn(before, "Town", { field: "member_id" }));
    expect(error.title).toBe("The draft has errors, so it cannot be tested");
  });

  it("leaves a field alone that is not written as a plain call", async () => {
    const asked = server().on(`GET ${BASE}/files/columns/member_id.py`, new Text("field = make('member_id')\n"));
    const error = await raised(correctColumn(before, "Town", { field: "member_id" }));
    expect(error.code).toBe("not_understood");
    expect(asked.changes).toEqual([]);
  });

  it("is taken back when the queue refuses the test run", async () => {
    const asked = server().on(`POST ${BASE}/test-run`, new Refusal(429, "queue_full", "The queue is full"));
    const error = await raised(correctColumn(before, "Town", { field: "member_id" }));
    expect(error.code).toBe("queue_full");
    expect(asked.last(`PATCH ${BASE}/files`).body).toEqual({
      files: [
        { path: "columns/member_id.py", content: MEMBER, if_match: '"m2"' },
        { path: "columns/city.py", content: CITY, if_match: '"c2"' },
      ],
    });
  });
});

describe("undoing a correction", () => {
  const made = run({ id: "r2", configuration_id: "c1" });

  it("restores the files as they were, once", async () => {
    const asked = server();
    await correctColumn(before, "Town", { field: "member_id" });
    const edits = undoOf("r2");
    await undoCorrection(made, edits ?? []);
    expect(asked.last(`PATCH ${BASE}/files`).body).toEqual({ files: edits });
    expect(edits?.map(({ content }) => content)).toEqual([MEMBER, CITY]);
    expect(undoOf("r2")).toBeNull();
  });

  it("overwrites nothing that somebody has changed since", async () => {
    server().on(`PATCH ${BASE}/files`, new Refusal(412, "changed", "It was changed"));
    const edits = [{ path: "columns/city.py", content: CITY, if_match: '"c2"' }];
    const error = await raised(undoCorrection(made, edits));
    expect(error.title).toBe("The files have been changed since");
  });
});
