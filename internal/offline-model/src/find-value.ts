import { findCode, findInForm, findLabelled, findNamedNumber, findQuoted, isYes } from "./find-in-text.ts";
import { findItems } from "./find-items.ts";
import { findExpression, findIntroduction, findNumber, findPlace, mentions } from "./patterns.ts";
import { rateTool } from "./rate-tool.ts";
import { asArray, typeOf } from "./schema.ts";
import type { Field } from "./schema.ts";
import { findWords } from "./words.ts";

/** The texts in which the offline model searches for the values of fields. */
export type Source = {
  /** The clause of the user's request for which a value is searched. */
  readonly clause: string;
  readonly request: string;
  /** The offline model's answer in words; empty while it searches for the arguments of tools. */
  readonly answer: string;
  /** The texts of the system messages. */
  readonly instructions: string;
  /** True while the model searches for the arguments of a tool. */
  readonly isForTool?: boolean;
  /** Words that other fields of the same object already use, because two fields rarely have the same word. */
  readonly taken?: ReadonlySet<unknown>;
};

type Finder = (source: Source, name: string) => string | undefined;

const organisation = /\b(?:from|at|of|for|with) (\p{Lu}[\p{L}\d&.-]*(?: \p{Lu}[\p{L}\d&-]*)*)/u;

/** Functions that find strings with a recognisable form, by the name of the field. */
const specificFinders: readonly (readonly [name: RegExp, find: Finder])[] = [
  [/city|place|location|town/i, findNearestPlace],
  [
    /^(?:from|origin|start|source|departure)(?:City|_city)?$/i,
    ({ clause }) => wordsAfter(clause, "from") ?? wordsBefore(clause, "to"),
  ],
  [
    /^(?:to|destination|target|recipient|language|arrival)(?:City|_city)?$/i,
    ({ clause }) => wordsAfter(clause, "to|into|in"),
  ],
  [/expression|formula|calculation/i, ({ clause }) => findExpression(clause)],
  [/company|organi[sz]ation|employer/i, ({ request }) => organisation.exec(request)?.[1]],
  [/e-?mail/i, ({ clause, request }) => inForm("email", clause, request)],
  [/^(?:ur[il]|link|website|homepage|href)$/i, ({ clause, request }) => inForm("uri", clause, request)],
  [/phone|mobile|telephone/i, ({ clause, request }) => inForm("phone", clause, request)],
  [/date$|^(?:day|when|deadline|due)$/i, ({ clause, request }) => inForm("date", clause, request)],
  [/(?:id|number|code|sku)$/i, ({ clause, request }, name) => findCode(clause, name) ?? findCode(request, name)],
];

/** Functions that find other strings, by the name of the field. */
const finders: readonly (readonly [name: RegExp, find: Finder])[] = [
  [/^(?:task|question|input|prompt|request)$/i, toWholeQuestion],
  [
    /^(?:query|search|q|keywords?|terms?|topic)$/i,
    ({ clause }) =>
      /\b(?:search|look|find|about|news|stories).*?\b(?:for|about|on)\s+(.+?)[?.!]*$/i.exec(clause)?.[1] ?? clause,
  ],
  [/answer|summary|advice|description|report|reason|briefing/i, ({ answer }) => answer || undefined],
];

const isPersonName = /^(?:name|user_?name|full_?name|person|customer)$/i;

/**
 * Finds a value for a field in the texts of a request. A value for an optional field is found only by the field's name
 * or form, because otherwise any words would fit it.
 */
export function findValue(field: Field, source: Source): unknown {
  const { schema } = field;
  const options = asArray(schema["enum"]);
  if (options.length > 0) return pickOption(options, source);
  switch (typeOf(schema)) {
    case "string":
      return findSpecificValue(field, source) ?? findText(field, source);
    case "number":
    case "integer":
      return findCount(field, source);
    case "boolean":
      return findAnswer(field, source);
    case "array":
      return findItems(field, source);
    default:
      return undefined;
  }
}

/** Finds a string with a recognisable form or name: a place, a sum, an address, a labelled value. */
export function findSpecificValue({ name, schema }: Field, source: Source): string | undefined {
  if (typeOf(schema) !== "string" || schema["enum"] !== undefined) return undefined;
  const { clause, request } = source;
  const { format, pattern } = schema;
  if (typeof format === "string") return inForm(format, clause, request);
  const labelled = (isPersonName.test(name) ? findIntroduction(request) : undefined) ?? findLabelled(request, name);
  if (labelled !== undefined) return labelled;
  if (typeof pattern === "string") {
    const form = toPattern(pattern);
    const said = [wordsAfter(clause, name), ...(clause.match(/[\p{L}\p{N}_-]+/gu) ?? [])];
    return said.find((word) => word !== undefined && form?.test(word) === true && source.taken?.has(word) !== true);
  }
  return specificFinders.find(([names]) => names.test(name))?.[1](source, name);
}

function findText({ name, schema, isRequired }: Field, source: Source): string | undefined {
  const finder = finders.find(([names]) => names.test(name));
  const isSpecific = specificFinders.some(([names]) => names.test(name));
  if (finder !== undefined || isSpecific || schema["format"] !== undefined || schema["pattern"] !== undefined)
    return finder?.[1](source, name);
  // A required argument of a tool gets the subject of the clause, unless the clause quotes a text.
  return isRequired && source.isForTool === true
    ? (findQuoted(source.clause)[0] ?? findSubject(source.clause))
    : undefined;
}

/**
 * Finds a number for a field, preferably a number beside the field's unit or name. A required field also accepts any
 * number in the user's own words.
 */
function findCount({ name, isRequired }: Field, { clause, request, answer }: Source): number | undefined {
  const unit = /temperature|degrees|celsius/i.test(name) ? "°" : name;
  const measured = [answer, clause, request].map((text) =>
    unit === "°" ? findNumber(text, unit) : findNamedNumber(text, unit),
  );
  const found = measured.find((each) => each !== undefined);
  return found ?? (isRequired ? (findNumber(clause) ?? findNumber(request)) : undefined);
}

function findAnswer({ name, isRequired }: Field, { clause, request }: Source): boolean | undefined {
  const said = isYes(clause, name) ?? isYes(request, name);
  if (said !== undefined || !isRequired) return said;
  if (/\b(?:off|false|without|disable|stop|close)\b/i.test(clause)) return false;
  return /\b(?:on|true|yes|with|enable|start|open)\b/i.test(clause) ? true : undefined;
}

function inForm(form: string, ...texts: readonly string[]): string | undefined {
  return texts.flatMap((text) => findInForm(text, form))[0];
}

function findNearestPlace({ answer, clause, request }: Source): string | undefined {
  return findPlace(answer) ?? findPlace(clause) ?? findPlace(request);
}

/**
 * Adds the place of the request to a clause such as "what time is it there", so that a team member understands the
 * clause alone.
 */
function toWholeQuestion({ clause, request }: Source): string {
  const place = findPlace(request);
  if (place === undefined || findPlace(clause) !== undefined) return clause;
  return `${clause.replace(/[?.!]+$/, "")} in ${place}?`;
}

/** Returns up to three words after a preposition, but not beyond the next preposition. */
function wordsAfter(clause: string, word: string): string | undefined {
  const found = new RegExp(
    String.raw`\b(?:${word})\s+((?:(?!(?:from|to|on|at|in|by|for|with|and|saying|that|about)\b)[\p{L}\p{N}'’-]+\s?){1,3})`,
    "iu",
  ).exec(clause);
  return found?.[1]?.trim();
}

function wordsBefore(clause: string, word: string): string | undefined {
  return new RegExp(String.raw`([\p{L}\p{N}'’-]+)\s+(?:in)?${word}\b`, "iu").exec(clause)?.[1];
}

const polite =
  /^(?:(?:please|hey|now|then|also|and|can you|could you|would you|will you|I want to|I(?:['’]d| would) like to|I need to|let us|let['’]s)[\s,]+)+/i;
const told = /\b(?:about|saying|that says|titled|called|named|that|:)\s*(.{2,}?)[?.!]*$/i;
const object =
  /^\p{L}+\s+(?:me\s+|us\s+)?(?:(?:an?|the|my|our|some)\s+)?(.+?)(?:\s+(?:to|in|on|for|with|from|by|as|at)\s.*)?[?.!]*$/iu;

/**
 * Finds the subject of a clause: "buy the milk" in "Add a note saying buy the milk", "milk" in "Add milk to my list".
 */
function findSubject(clause: string): string | undefined {
  const said = clause.replace(polite, "");
  return told.exec(said)?.[1] ?? object.exec(said)?.[1];
}

/**
 * Picks an option of an enumeration: the option that the texts mention, else an option whose description matches the
 * request, else an option that means "unknown".
 */
function pickOption(options: readonly unknown[], { clause, request, answer, instructions }: Source): unknown {
  const mentioned = [answer, clause, request].map((text) => options.find((option) => mentions(text, String(option))));
  const words = findWords(request);
  const rated = options.map((option) => {
    const lines = instructions.split("\n").filter((line) => line.startsWith(`- ${String(option)}:`));
    const description = lines.map((line) => line.slice(line.indexOf(":") + 1)).join(" ");
    return { option, score: rateTool({ name: String(option), description, parameters: {} }, words) };
  });
  const [best] = rated.filter(({ score }) => score > 0).toSorted((one, other) => other.score - one.score);
  return mentioned.find((option) => option !== undefined) ?? best?.option ?? options.find(isUnknown);
}

function isUnknown(option: unknown): boolean {
  return option === "unknown" || option === "none" || option === "other";
}

/** Compiles the pattern of a schema. `undefined` if JavaScript does not support it. */
function toPattern(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return undefined;
  }
}
