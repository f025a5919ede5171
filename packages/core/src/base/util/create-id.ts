/** Makes a random UUID, for a run, session, tool call or fact. */
export function createId(): string {
  // The global `crypto`, because importing node:crypto would slow the start of every program that imports core.
  return crypto.randomUUID();
}

/** Returns the UUID of a text: the same for the same text. Version 8 is reserved for custom algorithms. */
export function uuidOf(text: string): string {
  const hex = process.getBuiltinModule("node:crypto").hash("sha256", text);
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`];
  return [...parts, hex.slice(20, 32)].join("-");
}
