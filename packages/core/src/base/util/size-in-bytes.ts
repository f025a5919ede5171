/** Levels of nesting below which nothing is counted: what clients send nests less deep. */
const maxDepth = 64;

/** Returns the approximate size of a value in memory: that of its strings and of its binary data. */
export function sizeInBytes(value: unknown, levels = maxDepth): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (typeof value !== "object" || value === null || levels === 0) return 0;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  const parts: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return parts.reduce<number>((sum, part) => sum + sizeInBytes(part, levels - 1), 0);
}
