import { wrongOption } from "../base/errors/read-options.ts";
import { TroupeError } from "../base/errors/troupe-error.ts";
import { readProperty } from "../base/util/read-property.ts";
import type { JsonSchema } from "./object-schema.ts";
import type { StandardJsonSchema, StandardSchema } from "./standard-schema.ts";
import type { UnknownRecord } from "../base/util/is-record.ts";

/**
 * A schema by its kind: a Standard Schema with its own JSON Schema, a Standard Schema with a separate JSON Schema, or a
 * plain JSON Schema.
 */
export type RecognisedSchema =
  | { readonly kind: "standard"; readonly schema: StandardJsonSchema }
  | { readonly kind: "described"; readonly schema: StandardSchema; readonly jsonSchema: JsonSchema }
  | { readonly kind: "plain"; readonly jsonSchema: JsonSchema };

const accepted = "a schema of zod 4, ArkType or Valibot (through toStandardJsonSchema), or a JSON Schema object";

/** Keywords of JSON Schema. An object that has fields, but none of these keywords, is considered a mistake. */
const tellingKeywords = new Set(
  `$defs $id $ref $schema additionalProperties allOf anyOf const default description enum if items not oneOf
   patternProperties properties propertyNames required title type`.split(/\s+/),
);

/**
 * Returns the kind of a schema. Throws `invalid_config` for a value that cannot be used as a schema, and explains the
 * alternative. `label` names the schema in errors.
 */
export function recogniseSchema(schema: unknown, label: string): RecognisedSchema {
  if (!isFields(schema) || Array.isArray(schema)) throw wrongOption(label, accepted, schema);
  if (isObvious(schema)) return { kind: "plain", jsonSchema: schema };
  const problem = findProblem(schema);
  if (problem !== undefined) throw new TroupeError("invalid_config", `${label} ${problem}`);
  if (isStandardJson(schema)) return { kind: "standard", schema };
  if (isDescribed(schema)) return { kind: "described", ...schema };
  return { kind: "plain", jsonSchema: schema };
}

/**
 * Returns true for an object literal with a `type` that contains no library's schema. Most JSON Schemas have this form,
 * and this test is fast.
 */
function isObvious(schema: UnknownRecord): boolean {
  const isLiteral = Object.getPrototypeOf(schema) === Object.prototype && typeof schema["type"] === "string";
  // Schema libraries hide the members of their schemas from enumeration, but not from the operator `in`.
  if (!isLiteral || "~standard" in schema || "_zod" in schema) return false;
  for (const name in schema) if (isLibrarySchema(schema[name])) return false;
  return true;
}

function isLibrarySchema(value: unknown): boolean {
  return isStandard(value) || isZodCore(value);
}

function findProblem(schema: UnknownRecord): string | undefined {
  if (isStandardJson(schema) || isDescribed(schema)) return undefined;
  const vendor = isStandard(schema) ? schema["~standard"].vendor : undefined;
  // The fields by which schemas of ArkType and zod are recognised are inherited in some versions and own in others;
  // `in` finds both.
  if ("_zod" in schema) return findZodProblem(schema["_zod"]);
  if (vendor === "zod" || ("_def" in schema && "safeParse" in schema)) {
    return "is a zod 3 schema, which has no JSON Schema: upgrade to zod 4, or pass { schema, jsonSchema }.";
  }
  if (vendor === "valibot")
    return "is a bare Valibot schema: pass toStandardJsonSchema(schema) of @valibot/to-json-schema.";
  if (vendor !== undefined) return "is a Standard Schema without JSON Schema: pass { schema, jsonSchema }.";
  return findPlainProblem(schema);
}

/**
 * Returns the problem of a zod 4 schema that has no JSON Schema of its own. Since 4.2 only schemas of zod mini have no
 * JSON Schema of their own.
 */
function findZodProblem(zod: unknown): string {
  const version = readProperty(zod, "version");
  const [major, minor, patch] = ["major", "minor", "patch"].map((name) => readProperty(version, name));
  if (major === 4 && (minor === 0 || minor === 1)) {
    const remedy = '{ schema, jsonSchema: z.toJSONSchema(schema, { io: "input" }) }';
    return `is a schema of zod 4.${minor}.${String(patch)}, which cannot tell its JSON Schema: upgrade to zod 4.2 or later, or pass ${remedy}.`;
  }
  return 'is a zod mini schema, which has no JSON Schema: pass z.toJSONSchema(schema, { io: "input" }).';
}

function findPlainProblem(schema: UnknownRecord): string | undefined {
  const names = Object.keys(schema);
  if (names.some((name) => isLibrarySchema(schema[name]))) {
    return "is an object of schemas, not a schema: wrap it, as z.object({ … }) does.";
  }
  if (typeof schema === "function") return `must be ${accepted}, got a function.`;
  if (names.length === 0 || names.some((name) => tellingKeywords.has(name))) return undefined;
  return `must be ${accepted}, but it has none of JSON Schema's keywords ("type", "properties", …).`;
}

function isFields(value: unknown): value is UnknownRecord {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

function isZodCore(value: unknown): boolean {
  return isFields(value) && "_zod" in value;
}

function isStandard(value: unknown): value is StandardSchema {
  if (!isFields(value) || !("~standard" in value)) return false;
  const standard = value["~standard"];
  return isFields(standard) && typeof standard["validate"] === "function";
}

function isStandardJson(value: unknown): value is StandardJsonSchema {
  if (!isStandard(value)) return false;
  const { jsonSchema } = value["~standard"] as { jsonSchema?: unknown };
  return isFields(jsonSchema) && typeof jsonSchema["input"] === "function";
}

function isDescribed(value: UnknownRecord): value is { schema: StandardSchema; jsonSchema: JsonSchema } {
  return isStandard(value["schema"]) && isFields(value["jsonSchema"]) && !Array.isArray(value["jsonSchema"]);
}
