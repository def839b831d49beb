// @vitest-environment jsdom
import { screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { open } from "~/testing/page";
import { Refusal, Server } from "~/testing/server";
import { useNextIssue } from "./useNextIssue";

const onChoose = vi.fn();

function Steps() {
  const { go, isAtEnd } = useNextIssue("r1", "Data", 10, { row: 2, column: 1 }, onChoose);
  return (
    <>
      <button onClick={() => go(1)}>Next</button>
      {isAtEnd && <p>the end</p>}
    </>
  );
}

it("goes to the next issue, and says what went wrong", async () => {
  const server = new Server().on("GET /runs/r1/issues/list", new Refusal(500, "broken", "It is broken"));
  const { user } = await open(Steps, "/");
  await user.click(screen.getByRole("button", { name: "Next" }));
  await screen.findByText("It is broken");
  server.on("GET /runs/r1/issues/list", { items: [{ sheet: "Data", cell: "B3" }], next_cursor: null });
  await user.click(screen.getByRole("button", { name: "Next" }));
  await vi.waitFor(() => expect(onChoose).toHaveBeenCalledExactlyOnceWith({ row: 3, column: 2 }));
  expect(screen.queryByText("the end")).toBeNull();
});
