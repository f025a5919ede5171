import { TroupeError } from "../base/errors/troupe-error.ts";
import type { JsonSchema } from "./object-schema.ts";
import { formatPath, type SchemaIssue, shorten } from "./schema-issue.ts";

const maxShown = 5;
const maxMessageLength = 500;

/** Arguments of the constructor of `SchemaError`: the issues, the model's answer as text, and the schema. */
export type SchemaErrorDetails = {
  readonly issues: readonly SchemaIssue[];
  readonly text: string;
  readonly jsonSchema: JsonSchema;
};

/**
 * Error `structured_output_invalid`: a model's answer does not fit its schema. The message may be shown to a client and
 * contains only words of the schema. Issues and text may quote the model: they are for a repair, and serializers do not
 * print them.
 */
export class SchemaError extends TroupeError {
  readonly #issues: readonly SchemaIssue[];
  readonly #text: string;

  constructor({ issues, text, jsonSchema }: SchemaErrorDetails) {
    super("structured_output_invalid", describePublicly(issues, jsonSchema), { fields: { issueCount: issues.length } });
    this.#issues = issues;
    this.#text = text;
  }

  /** The problems of the model's answer, worded for the model: see `describeIssues`. */
  get issues(): readonly SchemaIssue[] {
    return this.#issues;
  }

  /** The original answer of the model. */
  get text(): string {
    return this.#text;
  }
}

Object.defineProperty(SchemaError.prototype, "name", { value: "SchemaError", configurable: true, writable: true });

function describePublicly(issues: readonly SchemaIssue[], jsonSchema: JsonSchema): string {
  const known = collectNames(jsonSchema);
  const places = issues.slice(0, maxShown).map((issue) => describePlace(issue, known));
  const rest = issues.length > maxShown ? `; and ${issues.length - maxShown} more` : "";
  return shorten(
    `The model's answer does not fit its schema: ${[...new Set(places)].join("; ")}${rest}.`,
    maxMessageLength,
  );
}

function describePlace({ path, expected }: SchemaIssue, known: ReadonlySet<string>): string {
  // A property name that is not in the schema was written by the model, so the message shows `*` instead.
  const place = formatPath(path.map((segment) => (typeof segment === "number" || known.has(segment) ? segment : "*")));
  return expected === undefined ? place || "the answer as a whole" : `${place || "the answer"}: expected ${expected}`;
}

function collectNames(jsonSchema: JsonSchema): Set<string> {
  const names = new Set<string>();
  const waiting: unknown[] = [jsonSchema];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (typeof node !== "object" || node === null) continue;
    const { properties } = node as { properties?: unknown };
    for (const name of Object.keys(properties ?? {})) names.add(name);
    for (const part of Object.values(node)) waiting.push(part);
  }
  return names;
}
