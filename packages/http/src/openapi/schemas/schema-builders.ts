import type { Schema } from "../open-api-spec.ts";

/** The schema of a string. */
export const string: Schema = { type: "string" };

/** The schema of a count. */
export const count: Schema = { type: "integer", minimum: 0 };

/** The schema of a duration. */
export const durationMs: Schema = { type: "number", minimum: 0, description: "Milliseconds." };

/** The schema of a point in time. */
export const timestamp: Schema = { type: "number", description: "Milliseconds since 1970." };

/** The schema of any object. */
export const anyObject: Schema = { type: "object", additionalProperties: true };

/** Returns the schema of a string that is one of these. */
export function stringEnum(...words: string[]): Schema {
  return { type: "string", enum: words };
}

/** Returns the schema of an array. */
export function arrayOf(items: Schema): Schema {
  return { type: "array", items };
}

/** Returns the schema of a union whose members are told apart by their field `type`. */
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

/** Returns the schema of a TypeScript type. A field that only one of the two has does not compile. */
export function objectOf<Type extends object>({ required, optional, ...more }: Shape<Type>): Schema {
  const names = Object.keys(required);
  return {
    type: "object",
    ...more,
    properties: { ...required, ...optional },
    ...(names.length > 0 && { required: names }),
  };
}

/** Returns the schema of an object that a client sends: a field without effect is refused. */
export function closedObjectOf<Type extends object>(shape: Shape<Type>): Schema {
  return { ...objectOf(shape), additionalProperties: false };
}
