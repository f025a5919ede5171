/** Makes a random UUID, for a run, session, tool call or fact. */
export function createId(): string {
  // The global `crypto`, because importing node:crypto would slow the start of every program that imports core.
  return crypto.randomUUID();
}
