/** Makes a random id, a UUID. */
export function createId(): string {
  // The global, because importing node:crypto would cost every program that imports core several milliseconds.
  return crypto.randomUUID();
}
