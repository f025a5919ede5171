const consonants = "[^aeiou][^aeiouy]*";
const vowels = "[aeiouy][aeiou]*";

const hasVowel = new RegExp(`^(?:${consonants})?[aeiouy]`);
/** Matches a beginning of a word with at least one sequence of vowels and consonants, or with at least two. */
const long = new RegExp(`^(?:${consonants})?${vowels}${consonants}`);
const longer = new RegExp(`^(?:${consonants})?(?:${vowels}${consonants}){2}`);
const hasOneSequence = new RegExp(`^(?:${consonants})?${vowels}${consonants}(?:${vowels})?$`);
const endsShort = new RegExp(`^${consonants}[aeiouy][^aeiouwxy]$`);

/** A step of Porter's algorithm: endings with their replacements. The longest ending that fits is replaced. */
type Endings = readonly (readonly [ending: string, replacement: string])[];

const secondEndings: Endings = toEndings(
  "ational ate tional tion enci ence anci ance izer ize bli ble alli al entli ent eli e ousli ous ization ize ation ate ator ate alism al iveness ive fulness ful ousness ous aliti al iviti ive biliti ble logi log",
);
const thirdEndings: Endings = [
  ...toEndings("icate ic alize al iciti ic ical ic"),
  ["ative", ""],
  ["ful", ""],
  ["ness", ""],
];
const fourthEndings: Endings = "al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize"
  .split(" ")
  .map((ending) => [ending, ""]);

function toEndings(pairs: string): Endings {
  const words = pairs.split(" ");
  return words.flatMap((word, index) => (index % 2 === 0 ? [[word, words[index + 1] ?? ""] as const] : []));
}

/**
 * Returns the stem of an English word in lower case by Porter's algorithm, so that `rained` and `raining` are the same
 * term. Returns other words as they are.
 */
export function stemWord(word: string): string {
  if (!/^[a-z]{3,}$/.test(word)) return word;
  // A `y` at the beginning counts as a consonant. As a capital letter it does not match a vowel.
  const marked = word.startsWith("y") ? `Y${word.slice(1)}` : word;
  const present = withoutPast(withoutPlural(marked));
  const first = present.endsWith("y") && hasVowel.test(present.slice(0, -1)) ? `${present.slice(0, -1)}i` : present;
  const second = withEnding(first, secondEndings, long);
  const third = withEnding(second, thirdEndings, long);
  return withoutLastE(withEnding(third, fourthEndings, longer)).toLowerCase();
}

function withoutPlural(word: string): string {
  if (/(?:ss|i)es$/.test(word)) return word.slice(0, -2);
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}

function withoutPast(word: string): string {
  if (word.endsWith("eed")) return long.test(word.slice(0, -3)) ? word.slice(0, -1) : word;
  const stem = word.replace(/(?:ed|ing)$/, "");
  if (stem === word || !hasVowel.test(stem)) return word;
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (/([^aeiouylsz])\1$/.test(stem)) return stem.slice(0, -1);
  return endsShort.test(stem) ? `${stem}e` : stem;
}

function withEnding(word: string, endings: Endings, least: RegExp): string {
  let best: Endings[number] | undefined;
  for (const each of endings) {
    if (word.endsWith(each[0]) && each[0].length > (best?.[0].length ?? 0)) best = each;
  }
  if (best === undefined) return word;
  const [ending, replacement] = best;
  const stem = word.slice(0, word.length - ending.length);
  const fits = least.test(stem) && (ending !== "ion" || /[st]$/.test(stem));
  return fits ? stem + replacement : word;
}

function withoutLastE(word: string): string {
  const stem = word.slice(0, -1);
  const isLong = longer.test(stem) || (hasOneSequence.test(stem) && !endsShort.test(stem));
  const short = word.endsWith("e") && isLong ? stem : word;
  return short.endsWith("ll") && longer.test(short) ? short.slice(0, -1) : short;
}
