import { findFacts } from "./find-facts.ts";
import { findInForm, findLabelled, findList, findQuoted } from "./find-in-text.ts";
import { mentions } from "./patterns.ts";
import { asArray, asSchema, typeOf } from "./schema.ts";
import type { Field } from "./schema.ts";

type Texts = { readonly clause: string; readonly request: string };

/**
 * Finds the items of an array field in a request, at most `maxItems`. Returns `undefined` if there are none, or fewer
 * than `minItems`.
 */
export function findItems(field: Field, texts: Texts): unknown[] | undefined {
  const { minItems: least = 0, maxItems: most } = field.schema;
  const found = itemsOf(field, texts);
  if (found.length === 0 || found.length < Number(least)) return undefined;
  return typeof most === "number" ? found.slice(0, most) : found;
}

function itemsOf(field: Field, { clause, request }: Texts): unknown[] {
  const items = asSchema(field.schema["items"]);
  const options = asArray(items["enum"]);
  if (options.length > 0) return options.filter((option) => mentions(request, String(option)));
  switch (typeOf(items)) {
    case "number":
      return numbersIn(clause);
    case "integer":
      return numbersIn(clause).filter((each) => Number.isInteger(each));
    case "string":
      return stringsOf(field, { clause, request });
    default:
      return [];
  }
}

function numbersIn(text: string): number[] {
  return (text.match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number);
}

/** Forms of strings, such as `email`, by the name of an array field. */
const formsByName: readonly (readonly [name: RegExp, form: string])[] = [
  [/e-?mail/i, "email"],
  [/ur[il]s?$|links$/i, "uri"],
  [/phones?$/i, "phone"],
];

function stringsOf({ name, schema, isRequired }: Field, { clause, request }: Texts): string[] {
  if (name === "facts") return findFacts(request);
  const { format } = asSchema(schema["items"]);
  const form = typeof format === "string" ? format : formsByName.find(([names]) => names.test(name))?.[1];
  if (form !== undefined) return findInForm(request, form);
  const listed = isRequired || findLabelled(request, name) !== undefined ? findList(request, name) : [];
  if (listed.length > 0) return listed;
  const quoted = findQuoted(clause);
  return quoted.length > 0 || !isRequired ? quoted : findWanted(request);
}

const wanted =
  /\b(?:order|need|want|send (?:me|us)|buy|would like|ship|add)\s+(?!to\b)([^.!?;]+?)(?:\s+(?:to|by|for|on|before|until|in|from|at)\b|[.!?;]|$)/i;

/**
 * Finds the things that a request asks for: "3 keyboards and a mouse" in "Please send me 3 keyboards and a mouse by
 * May".
 */
function findWanted(request: string): string[] {
  return (wanted.exec(request)?.[1] ?? "").split(/,\s*(?:and\s+)?|\s+and\s+/u).filter((item) => item !== "");
}
