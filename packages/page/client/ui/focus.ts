/** Gives the focus to an element beside a control that goes, unless the person has moved it elsewhere. */
export function keepFocusNear(element: HTMLElement | null): void {
  const { activeElement, body } = document;
  const isFree = activeElement === null || activeElement === body || element?.contains(activeElement) === true;
  if (isFree) element?.focus();
}
