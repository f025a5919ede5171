import { cutText } from "../base/util/cut-text.ts";

/** One reason why a value does not fit its schema, with the path in the value. The message may quote the value. */
export type SchemaIssue = {
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** The schema's expectation, in words that quote no part of the value. */
  readonly expected?: string;
};

/** Result of checking a value against a schema: the schema's output, or the issues. */
export type Validation<Output = unknown> =
  | { readonly ok: true; readonly value: Output }
  | { readonly ok: false; readonly issues: readonly SchemaIssue[] };

/** The maximum number of reported issues of one value: the first issues are usually the cause of the others. */
export const maxIssues = 20;

const maxMessageLength = 300;
const maxDescriptionLength = 2000;
const maxSegmentLength = 64;
const maxSegments = 16;

/** Writes one line for each issue, so that a model can correct its value. `root` names the value as a whole. */
export function describeIssues(issues: readonly SchemaIssue[], root = "value"): string {
  const lines = issues.slice(0, maxIssues).map(({ path, message }) => `${formatPath(path) || root}: ${message}`);
  return shorten(lines.join("\n"), maxDescriptionLength);
}

/** Writes a path as code would: `items[3].name`. */
export function formatPath(path: readonly (string | number)[]): string {
  const shown = path.slice(0, maxSegments).map(formatSegment).join("");
  return `${shown}${path.length > maxSegments ? "…" : ""}`.replace(/^\./, "");
}

/** Cuts the text of an issue to `length` characters. The last character of a shortened text is `…`. */
export function shorten(text: string, length = maxMessageLength): string {
  return cutText(text, length, "…");
}

function formatSegment(segment: string | number): string {
  if (typeof segment === "number") return `[${segment}]`;
  const shown = shorten(segment, maxSegmentLength);
  return /^[\w$*-]+$/.test(shown) ? `.${shown}` : `[${JSON.stringify(shown)}]`;
}
