import type { FinishReason } from "@troupe/core";
import type { OpenApiSchema } from "../open-api-spec.ts";

/** The reasons for which a model ends its answer; `stop` for a complete answer. */
export const finishReasons = [
  "stop",
  "length",
  "tool_calls",
  "content_filter",
  "tool_roundtrips",
  "error",
  "other",
] as const satisfies FinishReason[];

/** The schema of the field `stored`, which appears only in answers whose turn was not stored. */
export const storedSchema: OpenApiSchema = {
  type: "boolean",
  enum: [false],
  description: "The answer was given, and its turn could not be stored: the session does not know of it.",
};

/** The OpenAPI schema of any string. */
export const stringSchema: OpenApiSchema = { type: "string" };

/** The OpenAPI schema of a count: an integer from 0. */
export const countSchema: OpenApiSchema = { type: "integer", format: "int64", minimum: 0 };

/**
 * The OpenAPI schema of a number. Without the format `double`, clients in Go would use 32 bits, and times would be a
 * minute off.
 */
export const numberSchema: OpenApiSchema = { type: "number", format: "double" };

/** The OpenAPI schema of a duration: milliseconds as a number from 0. */
export const durationSchema: OpenApiSchema = { ...numberSchema, minimum: 0, description: "Milliseconds." };

/** The OpenAPI schema of a point in time: milliseconds since 1970. */
export const timestampSchema: OpenApiSchema = { ...numberSchema, description: "Milliseconds since 1970." };

/**
 * The OpenAPI schema of any value, including null. It has no `nullable`, which has no effect without a type in OpenAPI
 * 3.0.
 */
export const anythingSchema: OpenApiSchema = { description: "Anything." };

/** The OpenAPI schema of an object with any fields. */
export const anyObjectSchema: OpenApiSchema = { type: "object", additionalProperties: true };

/** The OpenAPI schema of a journal step's key. */
export const journalStepSchema: OpenApiSchema = {
  type: "string",
  description: "The journal step of the run, with `events=all`. Empty for what belongs to no unfinished step.",
};

/** Adds the journal step to schemas of events, for clients that request all events. */
export function withJournalStep(schemas: Record<string, OpenApiSchema>): Record<string, OpenApiSchema> {
  const added = Object.entries(schemas).map(([name, schema]) => {
    const properties = { ...(schema["properties"] as object), journalStep: journalStepSchema };
    return [name, { ...schema, properties }] as const;
  });
  return Object.fromEntries(added);
}

/** Returns the OpenAPI schema of a string that must be one of the given words. */
export function enumSchema(...words: string[]): OpenApiSchema {
  return { type: "string", enum: words };
}

/** Returns the OpenAPI schema of an array of items with this schema. */
export function arraySchema(items: OpenApiSchema): OpenApiSchema {
  return { type: "array", items };
}

/**
 * Returns the OpenAPI schema of a union whose members have different values in their field `type`. `mapping` has the
 * name of the component schema for each value.
 */
export function unionSchema(mapping: Record<string, string>, description: string): OpenApiSchema {
  const refs = Object.fromEntries(
    Object.entries(mapping).map(([type, name]) => [type, `#/components/schemas/${name}`] as const),
  );
  return {
    oneOf: Object.values(refs).map(($ref) => ({ $ref })),
    discriminator: { propertyName: "type", mapping: refs },
    description,
  };
}

type OptionalName<Type> = { [Name in keyof Type]-?: object extends Pick<Type, Name> ? Name : never }[keyof Type];

type Shape<Type> = {
  required: Record<Exclude<keyof Type, OptionalName<Type>>, OpenApiSchema>;
  optional: Record<OptionalName<Type>, OpenApiSchema>;
  example: Type;
  description?: string;
};

/**
 * Returns the OpenAPI schema of an object of a TypeScript type, from the schemas of its fields. A field that only the
 * type or only the schemas have is a compile error, so that document and type always agree.
 */
export function objectSchema<Type extends object>({ required, optional, ...more }: Shape<Type>): OpenApiSchema {
  const names = Object.keys(required);
  return {
    type: "object",
    ...more,
    properties: { ...required, ...optional },
    ...(names.length > 0 && { required: names }),
  };
}

/**
 * Returns the OpenAPI schema of an object that a client sends. Like {@link objectSchema}, but rejects further fields.
 */
export function closedObjectSchema<Type extends object>(shape: Shape<Type>): OpenApiSchema {
  return { ...objectSchema(shape), additionalProperties: false };
}
