/** The number of keywords and properties of a schema that are looked at. */
const maxParts = 200;

type Fields = Readonly<Record<string, unknown>>;
type Walk = { left: number };

const typeNames: ReadonlySet<unknown> = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);

/**
 * Tells quickly that a plain JSON Schema has an object at its root and is sure to compile: it is of moderate size, made
 * of literals, and has common keywords alone. Of other schemas only compiling tells if they are sound.
 */
export function isSimpleSchema(schema: unknown): boolean {
  return isLiteral(schema) && schema["type"] === "object" && isSimpleNode(schema, { left: maxParts });
}

function isSimpleNode(node: Fields, walk: Walk): boolean {
  for (const keyword in node) {
    const isSimple = simpleKeywords.get(keyword);
    if (isSimple === undefined || --walk.left < 0 || !isSimple(node[keyword], walk)) return false;
  }
  return true;
}

const isText = (value: unknown) => typeof value === "string";
const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
const isOfTexts = (value: unknown, walk: Walk) => Array.isArray(value) && areStrings(value, walk);

/** The keywords of simple schemas, each with a check of its value. */
const simpleKeywords: ReadonlyMap<string, (value: unknown, walk: Walk) => boolean> = new Map([
  ["type", (value: unknown) => typeNames.has(value)],
  ["description", isText],
  ["title", isText],
  ["properties", (value: unknown, walk: Walk) => isLiteral(value) && areSimpleProperties(value, walk)],
  ["required", isOfTexts],
  ["additionalProperties", (value: unknown) => typeof value === "boolean"],
  ["items", (value: unknown, walk: Walk) => isLiteral(value) && isSimpleNode(value, walk)],
  ["enum", isOfTexts],
  ["minLength", isCount],
  ["maxLength", isCount],
  ["minItems", isCount],
  ["maxItems", isCount],
  ["minimum", Number.isFinite],
  ["maximum", Number.isFinite],
]);

function areSimpleProperties(properties: Fields, walk: Walk): boolean {
  for (const name in properties) {
    const node = properties[name];
    if (--walk.left < 0 || !isLiteral(node) || !isSimpleNode(node, walk)) return false;
  }
  return true;
}

// By index: a hole is a mistake.
function areStrings(values: readonly unknown[], walk: Walk): boolean {
  walk.left -= values.length;
  if (walk.left < 0) return false;
  for (let index = 0; index < values.length; index++) if (typeof values[index] !== "string") return false;
  return true;
}

function isLiteral(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
