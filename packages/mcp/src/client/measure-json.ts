/** The limits of a JSON value: bytes as UTF-8 JSON, number of values, and nesting depth. */
export type JsonBounds = { readonly bytes?: number; readonly values?: number; readonly depth?: number };

/**
 * Deepest nesting of JSON that is accepted from an MCP server, because `JSON.stringify` and other later steps recurse.
 */
const deepestJson = 256;

/** The size of a value in bytes, and the first limit that it exceeds; the count stops there. */
export type JsonSize = { readonly bytes: number; readonly exceeded?: keyof JsonBounds };

/** An array or object whose parts are being measured. The names of fields are parts too. */
type Container = { readonly parts: Iterator<unknown, void>; readonly depth: number; isFirst: boolean };

/**
 * Measures a value that `JSON.parse` returned, and stops at the first limit that it exceeds. The work depends on the
 * limits and not on the size of the value. Escapes in strings are not counted.
 */
export function measureJson(value: unknown, bounds: JsonBounds): JsonSize {
  let [bytes, values] = [0, 0];
  const open: Container[] = [{ parts: [value].values(), depth: 0, isFirst: true }];
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const next = top.parts.next();
    if (next.done === true) {
      open.pop();
      continue;
    }
    const part = next.value;
    // Each part of an array or object, except the first part, has a comma or colon before it.
    bytes += bytesOf(part) + (top.isFirst ? 0 : 1);
    values++;
    top.isFirst = false;
    const parts = partsOf(part);
    const exceeded = excessOf({ bytes, values, depth: parts === undefined ? top.depth : top.depth + 1 }, bounds);
    if (exceeded !== undefined) return { bytes, exceeded };
    if (parts !== undefined) open.push({ parts, depth: top.depth + 1, isFirst: true });
  }
  return { bytes };
}

function excessOf(size: Required<JsonBounds>, bounds: JsonBounds): keyof JsonBounds | undefined {
  const { bytes = Infinity, values = Infinity, depth = deepestJson } = bounds;
  if (size.bytes > bytes) return "bytes";
  if (size.values > values) return "values";
  return size.depth > depth ? "depth" : undefined;
}

function partsOf(value: unknown): Iterator<unknown, void> | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  return Array.isArray(value) ? (value as unknown[]).values() : namesAndParts(value);
}

/** Yields the name and value of each field in turn, which avoids copying a large object only to refuse it. */
function* namesAndParts(value: object): Generator<unknown, void> {
  for (const name in value) {
    yield name;
    yield (value as Record<string, unknown>)[name];
  }
}

/** Returns the bytes of a value itself, without the bytes of its parts. */
function bytesOf(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value) + 2;
  return typeof value === "object" && value !== null ? 2 : String(value).length;
}
