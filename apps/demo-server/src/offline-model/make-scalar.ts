import { typeOf } from "./schema.ts";
import type { Schema } from "./schema.ts";

/** What a text looks like that has a format. */
const formats: Readonly<Record<string, string>> = {
  date: "2000-01-01",
  "date-time": "2000-01-01T00:00:00Z",
  time: "00:00:00Z",
  email: "nobody@example.com",
  uri: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
};

/** A text, a number, `false` or `null` that the schema allows, of what is wanted where that is possible. */
export function makeScalar(schema: Schema, wanted: unknown): unknown {
  switch (typeOf(schema)) {
    case "string":
      return makeText(schema, wanted);
    case "number":
    case "integer":
      return makeNumber(schema, wanted);
    case "boolean":
      return false;
    default:
      return null;
  }
}

/** A text that is as long as the schema says, and of its format. */
function makeText({ format, minLength, maxLength }: Schema, wanted: unknown): string {
  if (typeof format === "string" && Object.hasOwn(formats, format)) return formats[format] ?? "";
  return String(wanted).padEnd(numberOr(minLength, 0), ".").slice(0, numberOr(maxLength, Infinity));
}

/** A number that the schema allows, near to the wanted one. */
function makeNumber(schema: Schema, wanted: unknown): number {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, type } = schema;
  const step = numberOr(multipleOf, type === "integer" ? 1 : 0);
  // So far from a border that is not allowed itself.
  const gap = step === 0 ? 0.001 : step;
  const least = Math.max(numberOr(minimum, -Infinity), numberOr(exclusiveMinimum, -Infinity) + gap);
  const most = Math.min(numberOr(maximum, Infinity), numberOr(exclusiveMaximum, Infinity) - gap);
  const nearest = Math.min(Math.max(numberOr(wanted, 0), least), most);
  if (step === 0) return nearest;
  const above = Math.ceil(nearest / step) * step;
  return above > most ? Math.floor(nearest / step) * step : above;
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}
