/**
 * Moves the focus to another element. Does so only if the focus is inside the element `from`, which changes, or if the
 * focused control has disappeared.
 */
export function moveFocus(from: Element | null, to: HTMLElement | null): void {
  const { activeElement, body } = document;
  // The user may have moved the focus elsewhere meanwhile, and it must not be taken back.
  if (activeElement === null || activeElement === body || from?.contains(activeElement) === true) to?.focus();
}
