/** Makes an id that nobody can guess. */
export function createId(): string {
  // The global: importing node:crypto would cost every program that imports core several milliseconds.
  return crypto.randomUUID();
}
