import type { OpenApiOperation, OpenApiResponse, OpenApiSpec } from "../src/openapi/open-api-spec.ts";

type Keywords = Readonly<Record<string, unknown>>;

/** Keywords of a schema that are written in front of the others, or have no effect on what it accepts. */
const otherKeywords = new Set([
  "type",
  "enum",
  "items",
  "properties",
  "required",
  "oneOf",
  "anyOf",
  "allOf",
  "not",
  "discriminator",
  "description",
  "example",
]);

/** Writes what a schema accepts on one line. */
function outlineSchema(schema: unknown): string {
  const keywords = schema as Keywords;
  if (typeof keywords["$ref"] === "string") return nameOf(keywords["$ref"]);
  const limits = Object.entries(keywords).filter(([keyword]) => !otherKeywords.has(keyword));
  const written = limits.map(
    ([keyword, value]) =>
      `${keyword}=${typeof value === "object" ? outlineSchema(value) : `${value as string | number | boolean}`}`,
  );
  const forms = [formOf(keywords), ...unionsOf(keywords)].filter((form) => form !== "");
  return `${forms.join(" & ") || "any"}${written.length > 0 ? `<${written.join(" ")}>` : ""}`;
}

function formOf({ type, enum: words, items, properties, required }: Keywords): string {
  if (Array.isArray(words)) return `(${words.map((word) => JSON.stringify(word)).join("|")})`;
  if (type === "array") return `[${outlineSchema(items)}]`;
  if (properties === undefined && required === undefined) return typeof type === "string" ? type : "";
  const names = (required ?? []) as string[];
  const fields = Object.entries((properties ?? {}) as Keywords);
  const unknown = names.filter((name) => !fields.some(([field]) => field === name));
  const written = fields.map(([name, of]) => `${name}${names.includes(name) ? "" : "?"}: ${outlineSchema(of)}`);
  return `{${[...written, ...unknown].join(", ")}}`;
}

function unionsOf({ oneOf, anyOf, allOf, not, discriminator }: Keywords): string[] {
  const list = (schemas: unknown, sign: string) => (schemas as unknown[]).map(outlineSchema).join(sign);
  const { propertyName, mapping } = (discriminator ?? {}) as {
    propertyName?: string;
    mapping?: Record<string, string>;
  };
  const names = Object.entries(mapping ?? {}).map(([value, ref]) => `${value}=${nameOf(ref)}`);
  return [
    ...(oneOf === undefined ? [] : [`oneOf(${list(oneOf, " | ")})`]),
    ...(anyOf === undefined ? [] : [`anyOf(${list(anyOf, " | ")})`]),
    ...(allOf === undefined ? [] : [`allOf(${list(allOf, " & ")})`]),
    ...(not === undefined ? [] : [`not(${outlineSchema(not)})`]),
    ...(propertyName === undefined ? [] : [`by ${propertyName}(${names.join(", ")})`]),
  ];
}

/** Writes the schemas, parameters, headers and ways to sign in of a document, one on each line. */
export function outlineComponents({ components }: OpenApiSpec): string[] {
  const { schemas, parameters, headers, securitySchemes } = components;
  const lines = Object.entries(schemas).map(([name, schema]) => `${name}: ${outlineSchema(schema)}`);
  const others = [...Object.entries(parameters), ...Object.entries(headers)].map(([name, each]) => {
    const { schema, description: _, ...facts } = each as { schema: unknown; description?: string };
    return `${name}: ${JSON.stringify(facts)} ${outlineSchema(schema)}`;
  });
  const schemes = Object.entries(securitySchemes).map(([name, each]) => {
    return `${name}: ${JSON.stringify({ ...each, description: undefined })}`;
  });
  return [...lines, ...others, ...schemes];
}

/** Writes each operation of a document: its request, and its answers with their headers. */
export function outlineOperations({ paths }: OpenApiSpec): string[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => [
      `${method.toUpperCase()} ${path} ${operation.operationId} (${operation.tags.join(", ")})`,
      ...requestOf(operation),
      ...answersOf(operation),
    ]),
  );
}

/** Writes what a document says in words and shows as examples, with the place of each. */
export function outlineWords({ info, tags, paths, components }: OpenApiSpec): string[] {
  return wordsOf({ info, tags, paths, components }, "");
}

const wordKeys = new Set(["title", "version", "summary", "description", "example"]);

function wordsOf(value: unknown, place: string): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => {
    // A property of a schema may have the name of a keyword.
    const isWord =
      wordKeys.has(key) && !place.endsWith(" properties") && (typeof each === "string" || key === "example");
    return isWord ? [`${place} ${key}: ${JSON.stringify(each)}`] : wordsOf(each, `${place} ${key}`);
  });
}

function requestOf({ parameters = [], requestBody, security }: OpenApiOperation): string[] {
  const names = parameters.map(({ $ref }) => nameOf($ref)).join(", ");
  const keys = security?.map((each) => Object.keys(each).join("+") || "none").join(", ");
  return [
    ...(names === "" ? [] : [`  takes ${names}`]),
    ...(keys === undefined ? [] : [`  security ${keys}`]),
    ...(requestBody === undefined
      ? []
      : [`  ${requestBody.required ? "needs" : "may have"} ${contentOf(requestBody.content)}`]),
  ];
}

function answersOf({ responses }: OpenApiOperation): string[] {
  const refused = Object.entries(responses).flatMap(([status, each]) => {
    return "$ref" in each ? [`${status} ${nameOf(each.$ref)}`] : [];
  });
  return [...Object.entries(responses).flatMap(([status, each]) => toAnswer(status, each)), `  ${refused.join(", ")}`];
}

function toAnswer(status: string, response: OpenApiOperation["responses"][string]): string[] {
  if ("$ref" in response) return [];
  const { headers = {}, content = {} }: OpenApiResponse = response;
  const names = Object.entries(headers).map(([name, { $ref }]) => `${name}=${nameOf($ref)}`);
  return [`  ${status} ${contentOf(content)} [${names.join(", ")}]`];
}

function contentOf(content: NonNullable<OpenApiResponse["content"]>): string {
  return Object.entries(content)
    .map(([type, { schema }]) => `${type} ${outlineSchema(schema)}`)
    .join(", ");
}

function nameOf(ref: string): string {
  return ref.split("/").at(-1) ?? "";
}
