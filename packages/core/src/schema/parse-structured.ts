import type { CompiledSchema } from "./compile-schema.ts";
import { parseModelJson } from "./parse-model-json.ts";
import { SchemaError } from "./schema-error.ts";
import type { Validation } from "./schema-issue.ts";

/**
 * Parses a model's answer as the schema's value, or throws a `SchemaError`. Removes white space, a byte order mark and
 * one code fence around the whole text; it repairs nothing else.
 */
export async function parseStructured<Output>(text: string, schema: CompiledSchema<Output>): Promise<Output> {
  const verdict = await readAndCheck(text, schema);
  if (verdict.ok) return verdict.value;
  throw new SchemaError({ issues: verdict.issues, text, jsonSchema: schema.jsonSchema });
}

/**
 * Checks the text of a tool's result against the schema of an answer, and returns the schema's value or the issues.
 * Unlike a model, a tool returns an unwrapped value if the schema's root is not an object, and may return a string
 * without quotes.
 */
export async function checkToolAnswer<Output>(
  text: string,
  schema: CompiledSchema<Output>,
): Promise<Validation<Output>> {
  const { validateBare } = schema;
  if (validateBare === undefined) return await readAndCheck(text, schema);
  const parsed = parseModelJson(text);
  const verdict = parsed.ok ? await validateBare(parsed.value) : undefined;
  if (verdict?.ok === true) return verdict;
  const ofText = await validateBare(text);
  return ofText.ok ? ofText : (verdict ?? ofText);
}

/**
 * Returns the value of a tool's result as the answer. Like `checkToolAnswer`, but throws a `SchemaError` if the value
 * does not fit.
 */
export async function parseToolAnswer<Output>(text: string, schema: CompiledSchema<Output>): Promise<Output> {
  const verdict = await checkToolAnswer(text, schema);
  if (verdict.ok) return verdict.value;
  throw new SchemaError({ issues: verdict.issues, text, jsonSchema: schema.jsonSchema });
}

function readAndCheck<Output>(text: string, schema: CompiledSchema<Output>) {
  const parsed = parseModelJson(withoutFence(text));
  if (parsed.ok) return schema.validate(parsed.value);
  return { ok: false as const, issues: [{ path: [], message: parsed.problem, expected: "valid JSON" }] };
}

function withoutFence(text: string): string {
  // `trim` also removes a byte order mark.
  const trimmed = text.trim();
  const opening = /^```(?:json)?[ \t]*\r?\n/i.exec(trimmed)?.[0];
  if (opening === undefined || !trimmed.endsWith("```")) return trimmed;
  return trimmed.slice(opening.length, -"```".length);
}
