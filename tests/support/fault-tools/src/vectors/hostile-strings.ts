import { seededRandom } from "../process/seeded-random.ts";

/**
 * Strings with a meaning in databases, patterns, paths or encodings, and characters that a collation may treat as
 * equal.
 */
const fragments = [
  Array.from("'\"`\\;%_*?$:@{}[]().,/|!^~=<>&#+- aAkKi01"),
  ["--", "/*", "*/", "$1", "$$", ":a", "?1", "@p", "..", "' OR 1=1 --", '" OR ""="', "'; drop table x; --"],
  ["$ne", "$where", "$.a", "[0]", "{}", '{"a":1}', "null", "true", "1e3", "x'00'", "\\u0041", "\\0", "%41", "%00"],
  ["__proto__", "constructor", "toString", "id", "metadata", "content", "rowid", "_id", "vector", "\\x41", "\\'"],
  ["\t", "\n", "\r\n", "\u0001", "\u007f", "\u00a0", "\u00ad", "\u200b", "\u200d", "\u202e", "\u2028", "\ufeff"],
  ["é", "e\u0301", "\u0301", "Å", "\u212b", "ß", "ss", "ſ", "s", "K", "İ", "ı", "ﬁ", "fi", "Ａ", "😀", "\uffff"],
  ["\u{10ffff}", "ا", "中", "e\u0301\u0323"],
].flat();

/** Changes to a string that a careless comparison does not notice. */
const variations: ((text: string) => string)[] = [
  (text) => `${text} `,
  (text) => ` ${text}`,
  (text) => text.toUpperCase(),
  (text) => text.toLowerCase(),
  (text) => text.normalize("NFC"),
  (text) => text.normalize("NFD"),
  (text) => text.normalize("NFKC"),
  (text) => text.replaceAll("\\", "\\\\"),
  (text) => text.replaceAll("'", "''"),
  (text) => encodeURIComponent(text),
  (text) => JSON.stringify(text),
  (text) => text.slice(1),
  (text) => `${text}\u200b`,
  (text) => `${text}${"x".repeat(150)}`,
];

/**
 * Returns different well-formed strings that code may confuse with syntax, patterns or each other: quotes, wildcards,
 * operators, escapes, invisible characters, any Unicode, and near-equal variations. None is empty, contains NUL, or has
 * more than 400 bytes.
 */
export function hostileStrings(count: number, seed = 1): string[] {
  const random = seededRandom(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const join = (make: () => string) => Array.from({ length: 1 + Math.floor(random() * 6) }, make).join("");
  const made = new Set<string>();
  const add = (text: string): void => {
    if (text !== "" && text.isWellFormed() && !text.includes("\0") && Buffer.byteLength(text) <= 400) made.add(text);
  };
  while (made.size < count) {
    const text = join(random() < 0.8 ? () => pick(fragments) : () => randomCharacter(random));
    add(text);
    add(pick(variations)(text));
  }
  return [...made].slice(0, count);
}

function randomCharacter(random: () => number): string {
  const highest = random() < 0.5 ? 0xff : 0x10ffff;
  return String.fromCodePoint(1 + Math.floor(random() * highest));
}
