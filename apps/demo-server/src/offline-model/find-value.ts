import { findExpression, findIntroduction, findNumber, findPlace } from "./find-in-text.ts";
import { pickOption } from "./pick-option.ts";
import type { Reading } from "./reading.ts";
import { typeOf } from "./schema.ts";
import type { Field } from "./schema.ts";

type Finder = (reading: Reading) => string | undefined;

/** By the name of the field. */
const finders: readonly (readonly [name: RegExp, find: Finder])[] = [
  [/city|place|location|town|destination/i, nearestPlace],
  [/expression|formula|calculation/i, ({ clause }) => findExpression(clause)],
  [/^(?:task|question|query|input|prompt|request|message)$/i, wholeQuestion],
  [/^(?:name|user_?name)$/i, ({ request }) => findIntroduction(request)],
  [/answer|summary|advice|description|text|report|reason|briefing/i, ({ known }) => known || undefined],
];

/** What the texts hold for a field. Numbers that are not required are left out: any number would do for them. */
export function findValue({ name, schema, isRequired }: Field, reading: Reading): unknown {
  if (Array.isArray(schema["enum"])) return pickOption(schema["enum"], reading);
  const type = typeOf(schema);
  if (type === "string") return finders.find(([names]) => names.test(name))?.[1](reading);
  return isRequired && (type === "number" || type === "integer") ? findCount(name, reading) : undefined;
}

/** A number with its unit is it; without one, only the user's own words are worth a guess. */
function findCount(name: string, { clause, request, known }: Reading): number | undefined {
  const unit = /temperature|degrees|celsius/i.test(name) ? "°" : name;
  const measured = [known, clause, request].map((text) => findNumber(text, unit));
  return [...measured, findNumber(clause), findNumber(request)].find((found) => found !== undefined);
}

function nearestPlace({ known, clause, request }: Reading): string | undefined {
  return findPlace(known) ?? findPlace(clause) ?? findPlace(request);
}

/** A question that whoever is asked understands without the others: "what time is it there" says where. */
function wholeQuestion({ clause, request }: Reading): string {
  const place = findPlace(request);
  if (place === undefined || findPlace(clause) !== undefined) return clause;
  return `${clause.replace(/[?.!]+$/, "")} in ${place}?`;
}
