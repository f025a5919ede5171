const limits =
  "format pattern minLength maxLength minItems maxItems uniqueItems " +
  "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf default";
const keywords = limits.split(" ");

/** The description of a schema, with the limits that the server would leave out of it. */
export function limitsInWords(schema: Record<string, unknown>): string | undefined {
  const said = keywords
    .filter((name) => isTelling(schema, name))
    .map((name) => `${name}: ${JSON.stringify(schema[name])}`);
  const words = [schema["description"], said.length > 0 && `(${said.join(", ")})`];
  return words.filter((each) => typeof each === "string" && each !== "").join(" ") || undefined;
}

/** Libraries write patterns for the formats that they name, and the bounds of whole numbers as such. */
function isTelling(schema: Record<string, unknown>, name: string): boolean {
  const value = schema[name];
  if (name === "pattern" && schema["format"] !== undefined) return false;
  return value !== undefined && !(typeof value === "number" && Math.abs(value) >= Number.MAX_SAFE_INTEGER);
}
