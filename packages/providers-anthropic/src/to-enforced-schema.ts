type JsonSchema = Readonly<Record<string, unknown>>;

/** String formats of JSON Schema that Anthropic enforces. */
const formats: readonly unknown[] = [
  "date",
  "date-time",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "time",
  "uri",
  "uuid",
];

/**
 * Converts a JSON Schema that `isExpressible` accepts to the keywords that Anthropic enforces. Closes every object, and
 * adds other limits to the description, for the model to read.
 */
export function toEnforcedSchema(schema: JsonSchema): Record<string, unknown> {
  const { $defs, $ref, ...rest } = schema;
  const definitions = isSchema($defs) ? { $defs: convertAll($defs) } : {};
  if ($ref !== undefined) return { ...definitions, $ref };
  const { kept, left } = convert(rest);
  const limits = Object.entries(left).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  const told = [rest["description"], ...(limits.length > 0 ? [`{${limits.join(", ")}}`] : [])];
  const description = told.filter((text) => typeof text === "string" && text !== "").join("\n\n");
  return { ...definitions, ...kept, ...(description !== "" && { description }) };
}

type Parts = { kept: Record<string, unknown>; left: Record<string, unknown> };

/** Splits a schema into the enforced part and the limits that remain for the description. */
function convert(schema: JsonSchema): Parts {
  const { description: _, $schema: __, type, title, anyOf, oneOf, allOf, ...rest } = schema;
  const kept: Record<string, unknown> = {};
  const left: Record<string, unknown> = { ...rest };
  const take = (name: string, value = left[name]): void => {
    delete left[name];
    if (value !== undefined) kept[name] = value;
  };
  const values = ["enum", "const"].filter((name) => isPlain(left[name]));
  for (const name of values) take(name);
  const choices = [anyOf, oneOf].find(Array.isArray);
  if (choices !== undefined) kept["anyOf"] = choices.map(toEnforcedSchema);
  else if (Array.isArray(allOf)) kept["allOf"] = allOf.map(toEnforcedSchema);
  else if (values.length === 0) kept["type"] = type;
  if (title !== undefined) kept["title"] = title;
  if (values.length === 0) takeByType(type, left, take);
  return { kept, left };
}

function takeByType(type: unknown, left: JsonSchema, take: (name: string, value?: unknown) => void): void {
  const { properties, items, minItems, format } = left;
  if (type === "object") {
    take("properties", isSchema(properties) ? convertAll(properties) : {});
    take("additionalProperties", false);
    take("required");
  } else if (type === "array") {
    take("items", isSchema(items) ? toEnforcedSchema(items) : undefined);
    if (minItems === 0 || minItems === 1) take("minItems");
  } else if (type === "string" && formats.includes(format)) {
    take("format");
  }
}

function convertAll(schemas: JsonSchema): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, each]) => [name, toEnforcedSchema(each as JsonSchema)]),
  );
}

/** Returns true if the values of `enum` or `const` are neither objects nor arrays. */
function isPlain(value: unknown): boolean {
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  return value !== undefined && all.length > 0 && all.every((each) => each === null || typeof each !== "object");
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
