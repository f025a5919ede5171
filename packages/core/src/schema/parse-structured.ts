import type { CompiledSchema } from "./compile-schema.ts";
import { parseModelJson } from "./parse-model-json.ts";
import { SchemaError } from "./schema-error.ts";

/**
 * Parses a model's answer as the schema's value, or throws a `SchemaError`. Removes white space, a byte order mark and one
 * code fence around the whole, and repairs nothing else.
 */
export async function parseStructured<Output>(text: string, schema: CompiledSchema<Output>): Promise<Output> {
  const verdict = await readAndCheck(text, schema);
  if (verdict.ok) return verdict.value;
  throw new SchemaError({ issues: verdict.issues, text, jsonSchema: schema.jsonSchema });
}

function readAndCheck<Output>(text: string, schema: CompiledSchema<Output>) {
  const parsed = parseModelJson(withoutFence(text));
  if (parsed.ok) return schema.validate(parsed.value);
  return { ok: false as const, issues: [{ path: [], message: parsed.problem, expected: "valid JSON" }] };
}

function withoutFence(text: string): string {
  // `trim` removes a byte order mark too.
  const trimmed = text.trim();
  const opening = /^```(?:json)?[ \t]*\r?\n/i.exec(trimmed)?.[0];
  if (opening === undefined || !trimmed.endsWith("```")) return trimmed;
  return trimmed.slice(opening.length, -"```".length);
}
