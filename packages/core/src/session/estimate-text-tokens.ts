/**
 * Estimates what a model counts for a text: a weight for each character, no vocabulary, about 6 ms for a million of them.
 *
 * Measured against the vocabulary of current OpenAI models (`o200k_base`): prose in Latin script, source code, Markdown
 * and JSON come out between 20 % too low and 30 % too high, Chinese, Japanese and Korean 30 % too high, Cyrillic, Greek,
 * Arabic and Hebrew 15 to 60 % too high, Indic scripts, Thai and Georgian two to three times. Too low are random strings
 * (keys, hashes, base64 in a text: by 30 to 40 %), and by half Ethiopic and other scripts that vocabularies neglect.
 */
export function estimateTextTokens(text: string): number {
  let hundredths = 0;
  for (let index = 0; index < text.length; index++) hundredths += weightOf(text.charCodeAt(index));
  return Math.ceil(hundredths / 100);
}

/** Hundredths of a token. Words share few tokens, and a token holds few digits, signs, or letters of other scripts. */
function weightOf(code: number): number {
  if (code < 0x80) return weightOfAscii(code);
  if (code < 0x250) return 60;
  if (code < 0x700) return 50;
  // Half of a pair: an emoji is two or three tokens.
  return code >= 0xd800 && code < 0xe000 ? 150 : 100;
}

function weightOfAscii(code: number): number {
  if (code >= 97 && code <= 122) return 24;
  if (code <= 32) return 18;
  const isDigitOrCapital = (code >= 48 && code <= 57) || (code >= 65 && code <= 90);
  return isDigitOrCapital ? 50 : 65;
}
