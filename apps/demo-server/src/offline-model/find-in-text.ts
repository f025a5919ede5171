import { escapePattern } from "./escape-pattern.ts";

/** Names begin with capitals; of words in lower case one or two are taken, as far as they can be a name at all. */
const name = String.raw`\p{Lu}[\p{L}'’-]*(?: \p{Lu}[\p{L}'’-]*)*`;
const names = new RegExp(
  String.raw`\b(?:[Ii]n|at|for|of|to|about|visit)\s+(${name}(?:(?:, and|,| and| or) ${name})*)`,
  "u",
);
const lowerName =
  /\bin\s+(?!(?:the|an?|my|this|that|english|general|words|case)\b)([\p{L}'-]{3,}(?: (?!(?:and|or|now|today|tonight|tomorrow|right|please)\b)[\p{L}'-]{3,})?)/iu;

const separator = /, and |, | and | or /;

/** The place that a text names first. */
export function findPlace(text: string): string | undefined {
  const [, list = lowerName.exec(text)?.[1]] = names.exec(text) ?? [];
  return list?.split(separator)[0];
}

/** A text that names several places in a row, as one text about each. */
export function oneForEachPlace(text: string): string[] {
  const [, list = ""] = names.exec(text) ?? [];
  return list.split(separator).map((place) => text.replace(list, () => place));
}

const spokenSigns: readonly (readonly [spoken: RegExp, sign: string])[] = [
  [/\bplus\b/gi, "+"],
  [/\bminus\b/gi, "-"],
  [/\b(?:times|multiplied by)\b|×|(?<=[\d)]\s*)x(?=\s*[\d(])/gi, "*"],
  [/\bdivided by\b|÷/gi, "/"],
  [/\bto the power of\b/gi, "^"],
];
const sums = /-?[(\d][\d\s.()+*/%^-]*[\d)]/g;
const isSum = /\d[\s)]*[-+*/%^][\s(-]*\d/;
const isDate = /^\d{4}-\d\d-\d\d$/;

/** The longest piece of arithmetic in a text, in signs. */
export function findExpression(text: string): string | undefined {
  const written = spokenSigns.reduce((said, [spoken, sign]) => said.replace(spoken, sign), text);
  const found = (written.match(sums) ?? []).map(withoutOpenEnd).filter((sum) => isSum.test(sum) && !isDate.test(sum));
  return found.toSorted((one, other) => other.length - one.length)[0];
}

/** A parenthesis that ends the sentence around it is none of the sum's. */
function withoutOpenEnd(sum: string): string {
  const opened = sum.split("(").length;
  return sum.endsWith(")") && sum.split(")").length > opened ? sum.slice(0, -1).trimEnd() : sum;
}

const number = String.raw`-?\d+(?:\.\d+)?`;

/** The first number that a text names, of those before the unit if there is one. */
export function findNumber(text: string, unit = ""): number | undefined {
  const found = new RegExp(String.raw`(${number})\s*${escapePattern(unit)}`, "i").exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

const introductions = /\b(?:[Mm]y name is|[Cc]all me|I am|I['’]m)\s+(\p{Lu}[\p{L}'’-]*(?: \p{Lu}[\p{L}'’-]*)?)/u;

/** What somebody who introduces themselves in the text is called. */
export function findIntroduction(text: string): string | undefined {
  return introductions.exec(text)?.[1];
}
