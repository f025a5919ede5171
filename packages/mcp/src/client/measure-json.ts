/** What a JSON value may have at most: bytes of UTF-8 as JSON, values in it, and levels of nesting. */
export type JsonBounds = { readonly bytes?: number; readonly values?: number; readonly depth?: number };

/** The deepest nesting that is taken from a server: what follows, such as `JSON.stringify`, recurses. */
const deepestJson = 256;

/** The bytes of a value, or those up to the bound that it exceeds. */
export type JsonSize = { readonly bytes: number; readonly exceeded?: keyof JsonBounds };

/** An array or object whose parts are being measured. Names of fields are parts too. */
type Container = { readonly parts: Iterator<unknown, void>; readonly depth: number; isFirst: boolean };

/**
 * Measures a value that `JSON.parse` returned, and stops at the first bound that it exceeds. The work is bounded by the
 * bounds, not by the value. Escapes in strings are not counted.
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
    // A comma or colon stands before each part but the first.
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

/** Yields the name and value of each field in turn, so that a large object is not copied to be refused. */
function* namesAndParts(value: object): Generator<unknown, void> {
  for (const name in value) {
    yield name;
    yield (value as Record<string, unknown>)[name];
  }
}

/** Bytes of a value without its parts. */
function bytesOf(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value) + 2;
  return typeof value === "object" && value !== null ? 2 : String(value).length;
}
