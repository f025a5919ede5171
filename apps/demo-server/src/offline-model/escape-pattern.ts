/** The text as a pattern that it alone fits. `RegExp.escape` is not in every Node that we support. */
export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
