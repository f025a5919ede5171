import { findExpression, findIntroduction, findNumber, findPlace, findTopics, mentions, scoreFor } from "./patterns.ts";
import { typeOf } from "./schema.ts";
import type { Field } from "./schema.ts";

/** The texts in which values are looked for. */
export type Source = {
  /** The clause of the request that needs the value. */
  readonly clause: string;
  readonly request: string;
  /** The answer in words; empty while arguments for tools are looked for. */
  readonly answer: string;
  /** The system messages. */
  readonly instructions: string;
};

type Finder = (source: Source) => string | undefined;

/** Finders for strings, by the name of the field. */
const finders: readonly (readonly [name: RegExp, find: Finder])[] = [
  [/city|place|location|town|destination/i, findNearestPlace],
  [/expression|formula|calculation/i, ({ clause }) => findExpression(clause)],
  [/^(?:task|question|query|input|prompt|request|message)$/i, toWholeQuestion],
  [/^(?:name|user_?name)$/i, ({ request }) => findIntroduction(request)],
  [/answer|summary|advice|description|text|report|reason|briefing/i, ({ answer }) => answer || undefined],
];

/** Finds a value for a field. Optional numbers are left out, since any number in the text would do for them. */
export function findValue({ name, schema, isRequired }: Field, source: Source): unknown {
  if (Array.isArray(schema["enum"])) return pickOption(schema["enum"], source);
  const type = typeOf(schema);
  if (type === "string") return finders.find(([names]) => names.test(name))?.[1](source);
  return isRequired && (type === "number" || type === "integer") ? findCount(name, source) : undefined;
}

/** Prefers a number with its unit; without a unit, only the user's own words count. */
function findCount(name: string, { clause, request, answer }: Source): number | undefined {
  const unit = /temperature|degrees|celsius/i.test(name) ? "°" : name;
  const measured = [answer, clause, request].map((text) => findNumber(text, unit));
  return [...measured, findNumber(clause), findNumber(request)].find((found) => found !== undefined);
}

function findNearestPlace({ answer, clause, request }: Source): string | undefined {
  return findPlace(answer) ?? findPlace(clause) ?? findPlace(request);
}

/** Adds the place of the request to a clause like "what time is it there", so that a team member understands it alone. */
function toWholeQuestion({ clause, request }: Source): string {
  const place = findPlace(request);
  if (place === undefined || findPlace(clause) !== undefined) return clause;
  return `${clause.replace(/[?.!]+$/, "")} in ${place}?`;
}

/** Picks the option that the texts mention, else one whose description fits the request, else one that means "unknown". */
function pickOption(options: readonly unknown[], { clause, request, answer, instructions }: Source): unknown {
  const mentioned = [answer, clause, request].map((text) => options.find((option) => mentions(text, String(option))));
  return mentioned.find((option) => option !== undefined) ?? options.find(fitsTopic) ?? options.find(isUnknown);

  function fitsTopic(option: unknown): boolean {
    const lines = instructions.split("\n").filter((line) => line.startsWith(`- ${String(option)}:`));
    return findTopics(request).some((topic) => scoreFor(topic, String(option), lines.join("\n")) > 0);
  }
}

function isUnknown(option: unknown): boolean {
  return option === "unknown" || option === "none" || option === "other";
}
