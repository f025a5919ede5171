/** Matches a statement about the user or others that asks for nothing: "I read a book about Oslo." */
const statement =
  /^(?:well,? |and |but |so )?(?:I(?!['’]d\b| (?:want|need|would|wish|have to|must|should|wonder|look))|I['’]m|we(?! (?:want|need|would))|my|our|he|she|it|they|there|this|that)\b(?!.*\?$)/i;

/** Returns true if a clause is a statement that asks for nothing. */
export function isStatement(clause: string): boolean {
  return statement.test(clause);
}

/** Returns true if a clause is a question, or asks for information. */
export function isAsking(clause: string): boolean {
  return /\?\W*$|^(?:please |can you |could you )*(?:tell|describe|show|explain|look|check|find|what|how|which|who|where|when|why|is|are|do|does|can|will|may)\b/i.test(
    clause,
  );
}

/** Matches the end of a sentence, or an "and" before another question. */
const clauseEnd =
  /(?<=[?!.;])\s+|\n+|,?\s+(?:and|then|also)\s+(?=(?:what|what's|how|which|who|when|where|is|do|does|tell|say|give|calculate|work|count|book|reserve|search|find|show|send|add|set|create|translate|convert|the|my)\b)/i;

/** Splits a text into questions and statements. A question about several places becomes one question per place. */
export function splitClauses(text: string): string[] {
  return text
    .split(clauseEnd)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== "")
    .flatMap(splitPlaces);
}

// Names of places begin with capitals. In lower case, only one or two words after "in" count as a name.
const name = String.raw`(?!I\b)\p{Lu}[\p{L}'’-]*(?: (?!I\b)\p{Lu}[\p{L}'’-]*)*`;
const names = new RegExp(
  String.raw`\b(?:[Ii]n|at|for|of|to|about|visit)\s+(${name}(?:(?:, and|,| and| or) ${name})*)`,
  "u",
);
const lowerName =
  /\bin\s+(?!(?:the|an?|my|this|that|english|general|words|case)\b)([\p{L}'-]{3,}(?: (?!(?:and|or|now|today|tonight|tomorrow|right|please)\b)[\p{L}'-]{3,})?)/iu;
const nameSeparator = /, and |, | and | or /;

/** Finds the first place that a text names. */
export function findPlace(text: string): string | undefined {
  const [, list = lowerName.exec(text)?.[1]] = names.exec(text) ?? [];
  return list?.split(nameSeparator)[0];
}

function splitPlaces(text: string): string[] {
  const [, list = ""] = names.exec(text) ?? [];
  return list.split(nameSeparator).map((place) => text.replace(list, () => place));
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

/** Finds the longest arithmetic expression in a text, with words like "plus" written as signs. */
export function findExpression(text: string): string | undefined {
  const written = spokenSigns.reduce((said, [spoken, sign]) => said.replace(spoken, sign), text);
  const found = (written.match(sums) ?? []).map(dropOuterClosing).filter((sum) => isSum.test(sum) && !isDate.test(sum));
  return found.toSorted((one, other) => other.length - one.length)[0];
}

/** Drops a final parenthesis that closes the sentence around an arithmetic expression. */
function dropOuterClosing(sum: string): string {
  const opened = sum.split("(").length;
  return sum.endsWith(")") && sum.split(")").length > opened ? sum.slice(0, -1).trimEnd() : sum;
}

/** Finds the first number in a text or, with `unit`, the first number before that unit. */
export function findNumber(text: string, unit = ""): number | undefined {
  const found = new RegExp(String.raw`(-?\d+(?:\.\d+)?)\s*${escapePattern(unit)}`, "i").exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

const introduction = /\b(?:[Mm]y name is|[Cc]all me|I am|I['’]m)\s+(\p{Lu}[\p{L}'’-]*(?: \p{Lu}[\p{L}'’-]*)?)/u;

/** Finds the name with which the user introduces themselves. */
export function findIntroduction(text: string): string | undefined {
  return introduction.exec(text)?.[1];
}

/** Returns true if a text contains the phrase as whole words, in any case. */
export function mentions(text: string, phrase: string): boolean {
  if (phrase === "") return false;
  return new RegExp(String.raw`(?<![\p{L}\p{N}])${escapePattern(phrase)}(?![\p{L}\p{N}])`, "iu").test(text);
}

/**
 * Escapes a text for a regular expression, because `RegExp.escape` does not exist in all supported versions of Node.
 */
function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
