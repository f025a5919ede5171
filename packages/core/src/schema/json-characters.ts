/** The characters that may follow a backslash in a JSON string, each with its meaning. */
export const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/** Returns true if a character ends the plain text of a JSON string: a quote, a backslash, or a control character. */
export function isSpecial(code: number): boolean {
  return code === 0x22 || code === 0x5c || code < 0x20;
}

/** Returns true if a UTF-16 unit is the first half of a surrogate pair. */
export function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Returns true if a character ends a JSON number or word: a comma, a closing bracket or brace, or white space. */
export function isDelimiter(code: number): boolean {
  return code === 0x2c || code === 0x5d || code === 0x7d || code <= 0x20;
}
