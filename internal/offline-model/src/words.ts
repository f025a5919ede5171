/** Words that do not describe the subject of a request or of a tool. */
const emptyWords = new Set(
  `a about all also am an and any anything are as at be been but by can could demo did do does every for from get give given go had
  has have hello her hi him his how i if in into is it its just know let like look make may me might mine more much my need no not of
  on one or our out over please say says shall she should show so some something take tell tells than that the their them then there these
  they thing this those to too up us use used using very want was we were what when where which who whom whose why will with
  would you your`.split(/\s+/),
);

/** Phrases whose meaning differs from the meaning of their words. */
const phrases: readonly (readonly [phrase: RegExp, meaning: string])[] = [
  [/\b\d{4}-\d\d-\d\d\b/g, " "],
  [/\d\s*(?:[-+*/×÷^%]|x|times|divided by)\s*[(\d]/gi, " arithmetic "],
  [/\b(?:how )?many times\b|\bat the same time\b|\btime to\b/gi, " "],
  [/\bwhat day\b/gi, "what date"],
  [/\blook(?:ing)? (?:up|for)\b/gi, "search"],
  [/\bhow (?:much|long|far|hot) is it\b/gi, " "],
  [/\bpull request\b/gi, "pullrequest"],
];

/** Groups of words that may replace each other, by their stems. */
const families = [
  "weather forecast umbrella rain snow sunny temperature cold warm hot trip travel visit pack wear",
  "time clock date hour",
  "calculate compute arithmetic math sum plus minus multiply divide add subtract",
  "book reserve reservation rent",
  "search find google lookup query",
  "news headline story stories",
  "send mail email message notify",
  "delete remove drop erase",
  "create new open add file",
  "translate translation language",
  "convert conversion exchange currency",
  "price cost fee quote",
  "buy order purchase",
  "keep store save persist storage",
  "session conversation chat history",
  "safe secure secret encrypt seal",
  "version release support",
  "document documentation manual page readme guide",
].map((family) => new Set(family.split(" ").map(toStem)));

/** Returns the meaningful words of a text, in lower case and without their endings. */
export function findWords(text: string): string[] {
  const said = phrases.reduce((all, [phrase, meaning]) => all.replace(phrase, meaning), text);
  const words =
    said
      .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !emptyWords.has(word)).map(toStem);
}

/** Returns true if a word and one of the other words are in the same group of related words. */
export function isRelated(word: string, others: ReadonlySet<string>): boolean {
  return families.some((family) => family.has(word) && [...others].some((other) => family.has(other)));
}

/** Removes the ending of an English word: "bookings", "booked" and "books" become "book", "durable" and "durably" "durabl". */
function toStem(word: string): string {
  const single = word
    .replace(/(?<=\p{L}{2})ies$/u, "y")
    .replace(/(?<=\p{L}(?:[sxz]|[cs]h))es$/u, "")
    .replace(/(?<=\p{L}{2}[^\Wsui])s$/u, "");
  return single.replace(/(?<=\p{L}{4})(?:ing|ed|ions?)$/u, "").replace(/(?<=\p{L}{4})[ey]$/u, "");
}
