import type { Issue } from "~/api/artifact";
import { send } from "~/api/client";
import type { Run } from "~/api/types";
import { CSV_HEADER, csvLine, isChosen, type Chosen } from "~/logic/issues";

/** Give the chosen issues to the person as a file, however many there are: only a part of them is in memory as objects. */
export async function downloadIssues(run: Run, chosen: Chosen): Promise<void> {
  const response = await send("GET", `/runs/${run.id}/issues`);
  const parts = ["\ufeff" + CSV_HEADER]; // without the mark, Excel takes it for another encoding
  for await (const lines of linesOf(response)) {
    const issues = lines.flatMap((line) => (line ? [JSON.parse(line) as Issue] : []));
    parts.push(
      issues
        .filter((issue) => isChosen(issue, chosen))
        .map(csvLine)
        .join(""),
    );
  }
  const address = URL.createObjectURL(new Blob(parts, { type: "text/csv" }));
  const link = window.document.createElement("a");
  link.href = address;
  link.download = `${run.document_name.replace(/\.[^.]*$/, "")}-issues.csv`;
  link.click();
  URL.revokeObjectURL(address);
}

/** The lines of an answer, as they arrive. */
async function* linesOf(response: Response): AsyncGenerator<string[]> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const part = await reader?.read();
    if (!part || part.done) break;
    const lines = (rest + decoder.decode(part.value, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield lines;
  }
  yield [rest];
}
