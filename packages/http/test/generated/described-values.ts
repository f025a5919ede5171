import {
  array,
  boolean,
  constant,
  constantFrom,
  dictionary,
  double,
  integer,
  jsonValue,
  oneof,
  record,
  string,
  stringMatching,
  uint8Array,
} from "fast-check";
import type { Arbitrary } from "fast-check";
import type { OpenApiSpec, OpenApiSchema } from "../../src/openapi/open-api-spec.ts";
import type { FormPart } from "../forms.ts";

/** File names that are kept, and file names that are cleaned. */
const fileNames = ["a.png", "../../etc/passwd", "Übersicht 日本.pdf", "a\u202egnp.exe", "n".repeat(300)];
/** File names and types, which a description leaves open. */
const file: Arbitrary<FormPart> = record({
  filename: constantFrom(...fileNames),
  type: constantFrom("image/png", "IMAGE/jpeg; q=1", "audio/wav", "application/pdf"),
  body: uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
});

/** Values that match a schema, for the schemas that requests use. A file becomes a part of a form. */
export function valueOf(schema: OpenApiSchema, spec: OpenApiSpec): Arbitrary<unknown> {
  const { $ref, oneOf: alternatives, enum: words, type, nullable, ...rest } = schema;
  if (nullable === true) return oneof({ weight: 3, arbitrary: valueOf({ ...rest, type }, spec) }, constant(null));
  if (typeof $ref === "string") return valueOf(spec.components.schemas[$ref.split("/").at(-1) ?? ""] ?? {}, spec);
  if (Array.isArray(alternatives)) return oneof(...alternatives.map((each: OpenApiSchema) => valueOf(each, spec)));
  if (Array.isArray(words)) return constantFrom(...(words as unknown[]));
  const byType: Record<string, () => Arbitrary<unknown>> = {
    string: () => (schema["format"] === "binary" ? file : textOf(schema)),
    integer: () => integer({ min: Number(schema["minimum"] ?? 0), max: Number(schema["maximum"] ?? 1000) }),
    number: () => double({ noNaN: true, noDefaultInfinity: true }),
    boolean,
    array: () =>
      array(valueOf(schema["items"] as OpenApiSchema, spec), {
        minLength: Number(schema["minItems"] ?? 0),
        maxLength: 4,
      }),
    object: () => objectOf(schema, spec),
  };
  return byType[String(type)]?.() ?? jsonValue();
}

/** Values for the fields of an object. Required fields are always there. */
export function objectOf({ properties, required = [] }: OpenApiSchema, spec: OpenApiSpec): Arbitrary<unknown> {
  if (properties === undefined) return dictionary(string(), jsonValue(), { maxKeys: 3 });
  const fields = Object.entries(properties as Record<string, OpenApiSchema>);
  // The user is set elsewhere in the test.
  const sent = fields.filter(([name]) => name !== "userId").map(([name, each]) => [name, valueOf(each, spec)] as const);
  const values: Record<string, Arbitrary<unknown>> = Object.fromEntries(sent);
  if (!("mimeType" in values)) return record(values, { requiredKeys: required as never[] });
  // The service allows only some types of files.
  const typed = { ...values, mimeType: constantFrom("image/png", "IMAGE/jpeg; q=1", "audio/wav", "application/pdf") };
  return record(typed, { requiredKeys: [...(required as never[]), "mimeType" as never] });
}

function textOf({ pattern, minLength = 0 }: OpenApiSchema): Arbitrary<string> {
  const printable = string({ minLength: Number(minLength) || 1, maxLength: 40 }).map((text) => `x${text}`.slice(0, 40));
  return typeof pattern === "string" && pattern.startsWith("^") ? stringMatching(new RegExp(pattern)) : printable;
}
