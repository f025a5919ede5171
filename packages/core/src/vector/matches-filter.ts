import { equalJson } from "../util/equal-json.ts";

/** Says whether metadata holds each value of the filter as its own: what an object inherits matches nothing. */
export function matchesFilter(
  metadata: Readonly<Record<string, unknown>> | undefined,
  filter: Readonly<Record<string, unknown>>,
): boolean {
  return Object.keys(filter).every(
    (key) => metadata !== undefined && Object.hasOwn(metadata, key) && equalJson(metadata[key], filter[key]),
  );
}
