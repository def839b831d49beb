import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const SOURCES = fileURLToPath(new URL("..", import.meta.url));
const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter(
  (path) => /\.(css|tsx?)$/.test(path) && !path.includes(".test."),
);
const having = (pattern: RegExp): string[] =>
  files.filter((path) => pattern.test(readFileSync(join(SOURCES, path), "utf8"))).sort();

it("is green only for Ready, and for texts in code", () => {
  expect(files.length).toBeGreaterThan(200);
  expect(having(/var\(--good|--chart-good/)).toEqual(["components/editor/setup.ts", "components/status.module.css"]);
  expect(having(/tone(:|=)\s*"good"/)).toEqual(["components/status.module.css", "components/status.tsx"]);
  expect(having(/\b(green|teal|lime)\b/)).toEqual([]);
});
