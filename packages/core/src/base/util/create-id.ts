/** Makes a random UUID, as the id of a run, session, tool call or fact. */
export function createId(): string {
  // The global, because importing node:crypto would cost every program that imports core several milliseconds.
  return crypto.randomUUID();
}
