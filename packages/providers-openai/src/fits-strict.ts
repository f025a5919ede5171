/**
 * Returns true if OpenAI accepts a JSON Schema as `strict`, unchanged. Other schemas are sent without `strict`. Making
 * them fit would turn optional fields into nullable ones, and the original schema would reject null in the answer.
 */
export function fitsStrict(schema: unknown): boolean {
  return isObject(schema) && schema["type"] === "object" && fits(schema);
}

type Schema = Readonly<Record<string, unknown>>;

const known =
  "type title description properties required additionalProperties items enum const anyOf $ref $defs pattern format " +
  "minLength maxLength minItems maxItems minimum maximum exclusiveMinimum exclusiveMaximum multipleOf";
const keywords = new Set(known.split(" "));
const formats = new Set<unknown>("date-time time date duration email hostname ipv4 ipv6 uuid".split(" "));

function fits(schema: unknown): boolean {
  // An empty schema allows anything, so it is not strict.
  if (!isObject(schema) || Object.keys(schema).length === 0) return false;
  if (Object.keys(schema).some((keyword) => !keywords.has(keyword))) return false;
  return fitsAsText(schema) && fitsAsObject(schema) && innerSchemas(schema).every(fits);
}

function fitsAsText({ pattern, format }: Schema): boolean {
  const looksAround = typeof pattern === "string" && /\(\?<?[=!]/.test(pattern);
  return !looksAround && (format === undefined || formats.has(format));
}

/**
 * Returns false for the schema of an object that is not strict: a strict object has only named fields, all of them
 * required.
 */
function fitsAsObject({ type, properties, required, additionalProperties }: Schema): boolean {
  const isAboutObjects = properties !== undefined || [type].flat().includes("object");
  if (!isAboutObjects) return additionalProperties === undefined;
  const names = Object.keys(isObject(properties) ? properties : {});
  return additionalProperties === false && names.every((name) => Array.isArray(required) && required.includes(name));
}

function innerSchemas({ properties, $defs, items, anyOf }: Schema): unknown[] {
  return [
    ...Object.values(isObject(properties) ? properties : {}),
    ...Object.values(isObject($defs) ? $defs : {}),
    ...(items === undefined ? [] : [items]),
    ...(Array.isArray(anyOf) ? (anyOf as unknown[]) : []),
  ];
}

function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
