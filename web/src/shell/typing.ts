const TYPED_IN =
  "input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]:not([contenteditable=false])";

/** Whether keys go into a text; a choice that was clicked has the focus, and takes no letters. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest(TYPED_IN) !== null;
}
