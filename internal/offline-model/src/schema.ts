/** A JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>;

/** A field of an object that a schema describes. */
export type Field = { readonly name: string; readonly schema: Schema; readonly isRequired: boolean };

/** Returns an object as a JSON Schema, and an empty schema for anything else, such as `true`. */
export function asSchema(value: unknown): Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Schema) : {};
}

/** Returns a value if it is an array, and an empty array for anything else. */
export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Returns the first type that a JSON Schema allows, guessed if the schema names none. Returns `"null"` only if it is
 * the only type.
 */
export function typeOf({ type, properties, items }: Schema): unknown {
  if (Array.isArray(type)) return type.find((each) => each !== "null") ?? "null";
  if (type !== undefined) return type;
  if (properties !== undefined) return "object";
  return items === undefined ? "string" : "array";
}

/** Returns true if the schema allows `null`. */
export function allowsNull({ type, anyOf, oneOf = anyOf }: Schema): boolean {
  return asArray(type).includes("null") || asArray(oneOf).some((form) => asSchema(form)["type"] === "null");
}

/** Returns the fields that an object of this schema may have. */
export function fieldsOf({ properties, required }: Schema): Field[] {
  const names = asArray(required);
  return Object.entries(asSchema(properties)).map(([name, schema]) => ({
    name,
    schema: asSchema(schema),
    isRequired: names.includes(name),
  }));
}

/** Replaces a `$ref` into `root` by the schema that it names. */
export function resolveReference(schema: Schema, root: Schema): Schema {
  const { $ref: reference, ...rest } = schema;
  if (typeof reference !== "string" || !reference.startsWith("#")) return schema;
  const steps = decodeURIComponent(reference).split("/").slice(1);
  const target = steps.reduce<Schema>(
    (at, step) => asSchema(at[step.replaceAll("~1", "/").replaceAll("~0", "~")]),
    root,
  );
  return { ...target, ...rest };
}
