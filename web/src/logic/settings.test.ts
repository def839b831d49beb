import { describe, expect, it } from "vitest";
import { grouped } from "./settings";

const setting = (name: string) => ({ name, value: "", default: "", description: "" });

describe("settings", () => {
  it("stand with those of their kind, and unknown ones with the server", () => {
    const names = ["ADE_PORT", "ADE_QUEUE_SIZE", "ADE_MAX_UPLOAD_MB", "ADE_MAX_RUNNING", "ADE_NEW_ONE"];
    expect(grouped(names.map(setting)).map(([title, inside]) => [title, inside.map((one) => one.name)])).toEqual([
      ["Server", ["ADE_PORT", "ADE_NEW_ONE"]],
      ["Queue", ["ADE_QUEUE_SIZE", "ADE_MAX_RUNNING"]],
      ["Uploads and calls", ["ADE_MAX_UPLOAD_MB"]],
    ]);
  });
});
