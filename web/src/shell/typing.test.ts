// @vitest-environment jsdom
import { expect, it } from "vitest";
import { isTyping } from "./typing";

it("is typing in boxes of text and in editors, not on a choice that has the focus", () => {
  document.body.innerHTML = `
    <input id="text"><textarea id="long"></textarea><select id="list"></select>
    <div contenteditable="true"><p id="inside"></p></div>
    <input type="radio" id="radio"><input type="checkbox" id="check"><button id="button"></button>`;
  const typed = [...document.querySelectorAll("[id]")].filter(isTyping).map(({ id }) => id);
  expect(typed).toEqual(["text", "long", "list", "inside"]);
  expect(isTyping(window)).toBe(false);
});
