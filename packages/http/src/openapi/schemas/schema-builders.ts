import type { Schema } from "../open-api-spec.ts";

/** The OpenAPI schema of any string. */
export const string: Schema = { type: "string" };

/** The OpenAPI schema of a count: an integer from 0. */
export const count: Schema = { type: "integer", minimum: 0 };

/** The OpenAPI schema of a duration: milliseconds as a number from 0. */
export const durationMs: Schema = { type: "number", minimum: 0, description: "Milliseconds." };

/** The OpenAPI schema of a point in time: milliseconds since 1970. */
export const timestamp: Schema = { type: "number", description: "Milliseconds since 1970." };

/** The OpenAPI schema of an object with any fields. */
export const anyObject: Schema = { type: "object", additionalProperties: true };

/** Returns the OpenAPI schema of a string that must be one of these words. */
export function stringEnum(...words: string[]): Schema {
  return { type: "string", enum: words };
}

/** Returns the OpenAPI schema of an array whose items have this schema. */
export function arrayOf(items: Schema): Schema {
  return { type: "array", items };
}

/**
 * Returns the OpenAPI schema of a union whose members differ in their field `type`. `mapping` gives the name of the
 * component schema for each value of `type`.
 */
export function unionByType(mapping: Record<string, string>, description: string): Schema {
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
  required: Record<Exclude<keyof Type, OptionalName<Type>>, Schema>;
  optional: Record<OptionalName<Type>, Schema>;
  example: Type;
  description?: string;
};

/**
 * Returns the OpenAPI schema of an object of a TypeScript type, from schemas of its fields. A field that is in only one
 * of the two is a compile error, so that document and type cannot differ.
 */
export function objectOf<Type extends object>({ required, optional, ...more }: Shape<Type>): Schema {
  const names = Object.keys(required);
  return {
    type: "object",
    ...more,
    properties: { ...required, ...optional },
    ...(names.length > 0 && { required: names }),
  };
}

/** Returns the OpenAPI schema of an object that a client sends: as {@link objectOf}, but further fields are refused. */
export function closedObjectOf<Type extends object>(shape: Shape<Type>): Schema {
  return { ...objectOf(shape), additionalProperties: false };
}
