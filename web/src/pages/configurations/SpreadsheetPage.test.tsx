// @vitest-environment jsdom
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { useState } from "react";
import { expect, it, vi } from "vitest";
import { uploadBytes } from "~/api/actions";
import { open } from "~/testing/page";
import { Server } from "~/testing/server";
import { document } from "~/testing/things";
import SpreadsheetPage from "./SpreadsheetPage";

vi.mock(import("~/api/actions"), async (original) => ({ ...(await original()), uploadBytes: vi.fn() }));

function Away() {
  const [isOpen, setOpen] = useState(true);
  return (
    <>
      <button onClick={() => setOpen(false)}>Leave</button>
      {isOpen && <SpreadsheetPage />}
    </>
  );
}

it("stays away from a page that was left while its example was uploaded", async () => {
  let answer = (): void => undefined;
  vi.mocked(uploadBytes).mockReturnValue(new Promise((resolve) => (answer = () => resolve(document({ id: "d9" })))));
  const server = new Server().on("GET /workspaces/w1/documents", { items: [], next_cursor: null });
  const { user, address } = await open(Away, "/configurations/new", { path: "/configurations/new" });
  const input = screen.getByRole("region", { name: "Example" }).querySelector<HTMLInputElement>("input[type=file]");
  fireEvent.change(input as HTMLInputElement, { target: { files: [new File(["a"], "a.csv")] } });
  await waitFor(() => expect(uploadBytes).toHaveBeenCalled());
  await user.click(screen.getByRole("button", { name: "Leave" }));
  answer();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(address()).toBe("/configurations/new");
  expect(server.changes).toEqual([]);
});
