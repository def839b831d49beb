import { describe, expect, it } from "vitest";
import { goodFirst, namesOf, shareOf, uploadSummary, type Sending } from "./uploads";

const file = (state: Sending["state"], share = 0, size = 100): Sending => ({
  state,
  share,
  file: { name: `${state}.xlsx`, size },
});

describe("an upload", () => {
  it("says how many of its files can run", () => {
    expect(uploadSummary([file("sent"), file("refused"), file("refused")])).toBe(
      "1 of 3 files can run, 2 were refused",
    );
    expect(uploadSummary([file("refused")])).toBe("None of 1 file can run, 1 was refused");
    expect(uploadSummary([file("sent"), file("sending")])).toBe("1 of 2 uploaded");
  });
  it("has the files that can run above those that cannot", () => {
    const shown = goodFirst([file("refused"), file("sent"), file("refused"), file("sending")]);
    expect(shown.map(({ state }) => state)).toEqual(["sent", "sending", "refused", "refused"]);
  });
  it("is as far as its bytes are", () => {
    expect(shareOf([file("sent", 1, 100), file("sending", 0.5, 200), file("refused", 0, 100)])).toBe(0.75);
    expect(shareOf([])).toBe(0);
  });
  it("names a few of many", () => {
    expect(namesOf(["a", "b"])).toBe("a, b");
    expect(namesOf(["a", "b", "c", "d", "e"])).toBe("a, b, c and 2 more");
  });
});
