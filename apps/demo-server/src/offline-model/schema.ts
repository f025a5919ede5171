/** A JSON Schema, read as far as it says what a value may be. */
export type Schema = Readonly<Record<string, unknown>>;

/** A field of an object that a schema describes. */
export type Field = { readonly name: string; readonly schema: Schema; readonly isRequired: boolean };

/** The value as a schema; what is none, like `true`, allows anything. */
export function asSchema(value: unknown): Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Schema) : {};
}

/** The value as a list; what is none has nothing in it. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The one type that is taken of those that the schema allows: `null` only when there is no other. */
export function typeOf({ type, properties, items }: Schema): unknown {
  if (Array.isArray(type)) return type.find((each) => each !== "null") ?? "null";
  if (type !== undefined) return type;
  if (properties !== undefined) return "object";
  return items === undefined ? "string" : "array";
}

/** Whether the schema has a way to say that nothing is known. */
export function mayBeNull({ type, anyOf, oneOf = anyOf }: Schema): boolean {
  return asList(type).includes("null") || asList(oneOf).some((form) => asSchema(form)["type"] === "null");
}

/** The fields that an object of this schema may have. */
export function fieldsOf({ properties, required }: Schema): Field[] {
  const names = asList(required);
  return Object.entries(asSchema(properties)).map(([name, schema]) => ({
    name,
    schema: asSchema(schema),
    isRequired: names.includes(name),
  }));
}

/** The schema with what it refers to in its place. */
export function resolve(schema: Schema, root: Schema): Schema {
  const { $ref: reference, ...rest } = schema;
  if (typeof reference !== "string" || !reference.startsWith("#")) return schema;
  const steps = decodeURIComponent(reference).split("/").slice(1);
  const target = steps.reduce<Schema>(
    (at, step) => asSchema(at[step.replaceAll("~1", "/").replaceAll("~0", "~")]),
    root,
  );
  return { ...target, ...rest };
}
