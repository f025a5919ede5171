/** Moves the focus from within an element that changes, or from where its control is gone, to another element. */
export function moveFocus(from: Element | null, to: HTMLElement | null): void {
  const { activeElement, body } = document;
  // The person may have moved it elsewhere.
  if (activeElement === null || activeElement === body || from?.contains(activeElement) === true) to?.focus();
}
