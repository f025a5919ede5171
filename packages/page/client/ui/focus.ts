/** Moves the focus to another element if it is inside an element that changes, or its control has disappeared. */
export function moveFocus(from: Element | null, to: HTMLElement | null): void {
  const { activeElement, body } = document;
  // The user may have moved the focus elsewhere.
  if (activeElement === null || activeElement === body || from?.contains(activeElement) === true) to?.focus();
}
