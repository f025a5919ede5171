import type { Schema } from "../open-api-spec.ts";

/** Any text. */
export const text: Schema = { type: "string" };

/** How many of something there are. */
export const count: Schema = { type: "integer", minimum: 0 };

/** A time that passed. */
export const durationMs: Schema = { type: "number", minimum: 0, description: "Milliseconds." };

/** A moment. */
export const moment: Schema = { type: "number", description: "Milliseconds since 1970." };

/** Any object. */
export const anyObject: Schema = { type: "object", additionalProperties: true };

/** A text out of a few. */
export function oneWord(...words: string[]): Schema {
  return { type: "string", enum: words };
}

/** A list of these. */
export function listOf(items: Schema): Schema {
  return { type: "array", items };
}

/** One of several schemas, told apart by the value of their field `type`. */
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
