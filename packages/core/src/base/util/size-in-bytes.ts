/** Values that are nested deeper than this are not counted. Values sent by clients nest less deep. */
const maxDepth = 64;

/** Returns the approximate size of a value in memory, in bytes: the size of its strings and binary data. */
export function sizeInBytes(value: unknown, levels = maxDepth): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (typeof value !== "object" || value === null || levels === 0) return 0;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  const parts: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return parts.reduce<number>((sum, part) => sum + sizeInBytes(part, levels - 1), 0);
}
