import { getOwn } from "../base/util/get-own.ts";
import { isRecord } from "../base/util/is-record.ts";
import type { VendorOptions } from "../model/model-config.ts";
import type { UnknownRecord } from "../base/util/is-record.ts";

/**
 * Returns the body of a request with the provider's fields of the caller's option `vendor` merged last. Objects are
 * merged field by field, unless their `type` differs. The arrays `tools` and `include` are appended, and every other
 * value replaces Troupe's value. `stream` is omitted, because only the provider knows how it reads the answer.
 */
export function withVendorFields<Body extends object>(
  body: Body,
  vendor: VendorOptions | undefined,
  providerId: string,
): Body {
  const given = vendor && getOwn(vendor, providerId);
  if (given === undefined) return body;
  const { stream: _, ...fields } = given;
  const merged: Record<string, unknown> = merge(body as UnknownRecord, fields);
  for (const name of joinedArrays) {
    const both = [getOwn(body as UnknownRecord, name), getOwn(fields, name)];
    if (both.every(Array.isArray)) merged[name] = both.flat();
  }
  return merged as Body;
}

/**
 * Arrays that are joined instead of replaced: replacing the tools, or OpenAI's list of included fields, would lose the
 * run's own entries.
 */
const joinedArrays = ["tools", "include"] as const;

function merge(ours: UnknownRecord, theirs: UnknownRecord): Record<string, unknown> {
  const entries = Object.entries(theirs).map(([name, value]): [string, unknown] => {
    const own = getOwn(ours, name);
    return [name, isRecord(own) && isRecord(value) && isSameKind(own, value) ? merge(own, value) : value];
  });
  return { ...ours, ...(Object.fromEntries(entries) as UnknownRecord) };
}

/**
 * Returns true if both objects have the same `type`, or the caller's object has no `type`. Objects of different types,
 * such as two tool choices, share no fields.
 */
function isSameKind(ours: UnknownRecord, theirs: UnknownRecord): boolean {
  return theirs["type"] === undefined || theirs["type"] === ours["type"];
}
