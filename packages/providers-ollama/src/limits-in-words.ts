const limits =
  "format pattern minLength maxLength minItems maxItems uniqueItems " +
  "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf default";
const keywords = limits.split(" ");

/**
 * Returns the description of a schema with its limits in words, such as `(minimum: 1)`, since the server drops the
 * limits themselves. `undefined` when it has neither.
 */
export function limitsInWords(schema: Record<string, unknown>): string | undefined {
  const said = keywords
    .filter((name) => isTelling(schema, name))
    .map((name) => `${name}: ${JSON.stringify(schema[name])}`);
  const words = [schema["description"], said.length > 0 && `(${said.join(", ")})`];
  return words.filter((each) => typeof each === "string" && each !== "").join(" ") || undefined;
}

/** Tells if a limit needs words: not a pattern beside its format, nor the bounds that libraries add to integers. */
function isTelling(schema: Record<string, unknown>, name: string): boolean {
  const value = schema[name];
  if (name === "pattern" && schema["format"] !== undefined) return false;
  return value !== undefined && !(typeof value === "number" && Math.abs(value) >= Number.MAX_SAFE_INTEGER);
}
