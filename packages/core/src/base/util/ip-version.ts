/**
 * Returns 4 or 6 for an IP address, by its version, and 0 for any other text. `node:net` is not imported statically:
 * the import would slow the start of every program that imports core.
 */
export function ipVersion(text: string): number {
  return process.getBuiltinModule("node:net").isIP(text);
}
