import { expect, it } from "vitest";
import { HOOKS, newFile } from "./newFile";

it.each([
  ["field", "Member No.", "columns/member_no.py"],
  ["field", "E-mail", "columns/e_mail_2.py"],
  ["hook", "Report empty tables", "hooks/report_empty_tables.py"],
  ["row type", "Grand total", "row_types/grand_total.py"],
  ["other", " requirements.txt ", "requirements.txt"],
] as const)("a %s of the words %s is %s", (kind, words, path) => {
  expect(newFile(kind, words, ["columns/e_mail.py", "hooks/e_mail.py"]).path).toBe(path);
});

it("a new field has a label", () => {
  expect(newFile("field", 'The "best"', []).content).toContain('Field("the_best", label="The \\"best\\"")');
});

it.each(HOOKS.map(({ name }) => name))("a new file can begin with the hook %s", (name) => {
  expect(newFile("hook", "Mine", [], name).content).toMatch(
    new RegExp(`^def ${name}\\([a-z, ]+\\):\n    """[A-Z].*\n    \\w+`),
  );
});
