import { describe, expect, it } from "vitest";
import { actionWords, changeWords } from "./audit";

const row = (changes: Record<string, [unknown, unknown]>) =>
  changeWords({ changes, subject_kind: "api_key", subject_id: "01a1e232-7381-70e3-81ce-45df7c904a4c" } as never);

describe("the audit log", () => {
  it("says what was done to what", () => {
    expect(actionWords("api_key.revoke")).toBe("Api key: revoke");
  });
  it("says what became of each part", () => {
    expect(row({ published: [1, 2] })).toBe("published: 1 → 2");
    expect(row({ name: [null, "Starter"] })).toBe("name: Starter");
    expect(row({ tags: [[], ["2026", "north"]] })).toBe("tags: 2026, north");
    expect(row({ tags: [["2026"], []] })).toBe("tags: 2026 → none");
    expect(row({ "columns/email.py": ["a".repeat(64), "b".repeat(64)] })).toBe("columns/email.py edited");
    expect(row({ "columns/email.py": [null, "b".repeat(64)] })).toBe("columns/email.py added");
  });
  it("names the subject where nothing else is known", () => {
    expect(row({})).toBe("api key 45df7c904a4c");
  });
});
