import { Ajv } from "ajv";
import type { ErrorObject, ValidateFunction } from "ajv";
import type { OpenApiSpec, OpenApiSchema } from "../src/openapi/open-api-spec.ts";

/** Validators for the schemas of a description. */
export type CompiledSchemas = {
  /** Returns what is wrong with a value by the schema of this name. */
  problems: (name: string, value: unknown) => string[];
  /** Returns what is wrong with a value by any schema of the description. */
  problemsOf: (schema: OpenApiSchema, value: unknown) => string[];
};

/** One for all descriptions: each has to compile the schema of schemas first. */
const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });

/** The compiled schemas, by the text of their description: most services of the tests are described by the same ones. */
const known = new Map<string, CompiledSchemas>();

/** Compiles the schemas of a description. Fields that they do not name count as wrong. */
export function compileSchemas({ components }: OpenApiSpec): CompiledSchemas {
  const text = JSON.stringify(components);
  const compiled = known.get(text) ?? compileComponents(components, `spec${known.size}`);
  known.set(text, compiled);
  return compiled;
}

function compileComponents(components: OpenApiSpec["components"], id: string): CompiledSchemas {
  ajv.addSchema({ $id: id, ...(closed(toJsonSchema({ components })) as object) });
  const compiled = new Map<string, ValidateFunction>();
  const problemsOf = (schema: OpenApiSchema, value: unknown) => {
    const text = JSON.stringify(schema);
    let check = compiled.get(text);
    if (check === undefined)
      compiled.set(text, (check = ajv.compile(withHome(closed(toJsonSchema(schema)), id) as object)));
    return check(value) ? [] : (check.errors ?? []).map(inWords);
  };
  const references = new Map(
    Object.keys(components.schemas).map((name) => [name, { $ref: `#/components/schemas/${name}` }] as const),
  );
  return { problemsOf, problems: (name, value) => problemsOf(references.get(name) ?? { not: {} }, value) };
}

/** Compiles a schema of OpenAPI 3.0 without references. */
export function compileSchema(schema: OpenApiSchema): (value: unknown) => boolean {
  const check = ajv.compile(toJsonSchema(schema) as object);
  return (value) => check(value);
}

/** Converts null and bounds to JSON Schema. */
function toJsonSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toJsonSchema);
  if (typeof value !== "object" || value === null) return value;
  const { discriminator: _, example: __, ...rest } = value as OpenApiSchema;
  const schema = Object.fromEntries(Object.entries(rest).map(([key, each]) => [key, toJsonSchema(each)] as const));
  return withNull(withBound(withBound(schema, "minimum", "exclusiveMinimum"), "maximum", "exclusiveMaximum"));
}

function withNull({ nullable, ...schema }: OpenApiSchema): OpenApiSchema {
  const { type, enum: words } = schema;
  if (nullable !== true || typeof type !== "string") return schema;
  return { ...schema, type: [type, "null"], ...(Array.isArray(words) && { enum: [...(words as unknown[]), null] }) };
}

function withBound(schema: OpenApiSchema, bound: string, exclusive: string): OpenApiSchema {
  if (schema[exclusive] !== true) return schema;
  const { [bound]: number, [exclusive]: _, ...rest } = schema;
  return { ...rest, [exclusive]: number };
}

/** Closes an object schema: other fields than its own become wrong. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== "object" || value === null) return value;
  const schema: OpenApiSchema = Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, closed(each)] as const),
  );
  const isOpen = schema["type"] === "object" && "properties" in schema && !("additionalProperties" in schema);
  return isOpen ? { ...schema, additionalProperties: false } : schema;
}

/** Rewrites a reference to start at the whole description, which has this id. */
function withHome(schema: unknown, id: string): unknown {
  if (Array.isArray(schema)) return schema.map((each) => withHome(each, id));
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      return [key, key === "$ref" && typeof value === "string" ? `${id}${value}` : withHome(value, id)] as const;
    }),
  );
}

function inWords({ instancePath, message = "", params }: ErrorObject): string {
  return `${instancePath} ${message} ${JSON.stringify(params)}`;
}
