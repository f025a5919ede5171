import { getOwn } from "../base/util/get-own.ts";
import { isRecord } from "../base/util/is-record.ts";
import type { VendorOptions } from "../model/model-config.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the body of a request with the fields that the caller's option `vendor` holds for the provider, merged last. An
 * object is merged field by field, unless its `type` is another than ours; the arrays `tools` and `include` are joined to
 * ours, and every other value takes the place of ours. `stream` is left out: only the provider knows how it reads the
 * answer.
 */
export function withVendorFields<Body extends object>(
  body: Body,
  vendor: VendorOptions | undefined,
  providerId: string,
): Body {
  const given = vendor && getOwn(vendor, providerId);
  if (given === undefined) return body;
  const { stream: _, ...fields } = given;
  const merged: Record<string, unknown> = merge(body as Fields, fields);
  for (const name of joinedArrays) {
    const both = [getOwn(body as Fields, name), getOwn(fields, name)];
    if (both.every(Array.isArray)) merged[name] = both.flat();
  }
  return merged as Body;
}

/** The tools, and the names of what OpenAI includes in its answers: to replace ours would lose the run's own. */
const joinedArrays = ["tools", "include"] as const;

function merge(ours: Fields, theirs: Fields): Record<string, unknown> {
  const entries = Object.entries(theirs).map(([name, value]): [string, unknown] => {
    const own = getOwn(ours, name);
    return [name, isRecord(own) && isRecord(value) && isSameKind(own, value) ? merge(own, value) : value];
  });
  return { ...ours, ...(Object.fromEntries(entries) as Fields) };
}

/** Two kinds of one thing, such as of a tool choice, have no fields in common. */
function isSameKind(ours: Fields, theirs: Fields): boolean {
  return theirs["type"] === undefined || theirs["type"] === ours["type"];
}
