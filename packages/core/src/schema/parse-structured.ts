import type { CompiledSchema } from "./compile-schema.ts";
import { parseJson } from "./parse-json.ts";
import { SchemaError } from "./schema-error.ts";

/**
 * Reads a model's answer as the schema's value, or throws a `SchemaError`. White space, a byte order mark and one code
 * fence around the whole are taken off; nothing else is mended.
 */
export async function parseStructured<Output>(text: string, schema: CompiledSchema<Output>): Promise<Output> {
  const verdict = await readAndCheck(text, schema);
  if (verdict.ok) return verdict.value;
  throw new SchemaError({ issues: verdict.issues, text, jsonSchema: schema.jsonSchema });
}

function readAndCheck<Output>(text: string, schema: CompiledSchema<Output>) {
  const parsed = parseJson(withoutFence(text));
  if (parsed.ok) return schema.validate(parsed.value);
  return { ok: false as const, issues: [{ path: [], message: parsed.problem, expected: "valid JSON" }] };
}

function withoutFence(text: string): string {
  // `trim` takes the byte order mark too.
  const trimmed = text.trim();
  const opening = /^```(?:json)?[ \t]*\r?\n/i.exec(trimmed)?.[0];
  if (opening === undefined || !trimmed.endsWith("```")) return trimmed;
  return trimmed.slice(opening.length, -"```".length);
}
