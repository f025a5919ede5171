/** Names of the characters from U+00A0 to U+00FF, in order. */
const latin =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";

const others: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  mdash: "—",
  ndash: "–",
  hellip: "…",
  lsquo: "‘",
  rsquo: "’",
  sbquo: "‚",
  ldquo: "“",
  rdquo: "”",
  bdquo: "„",
  lsaquo: "‹",
  rsaquo: "›",
  bull: "•",
  euro: "€",
  trade: "™",
  dagger: "†",
  permil: "‰",
  prime: "′",
  Prime: "″",
  larr: "←",
  rarr: "→",
  minus: "−",
  infin: "∞",
  asymp: "≈",
  ne: "≠",
  le: "≤",
  ge: "≥",
  oelig: "œ",
  OElig: "Œ",
  scaron: "š",
  Scaron: "Š",
  Yuml: "Ÿ",
  ensp: " ",
  emsp: " ",
  thinsp: " ",
  // A zero-width space allows a line break and is invisible.
  ZeroWidthSpace: "",
};

const named: ReadonlyMap<string, string> = new Map([
  ...latin.split(" ").map((name, index) => [name, String.fromCodePoint(0xa0 + index)] as const),
  ...Object.entries(others),
]);

/** Characters that browsers show for numeric entities from 128 to 159, which stand for characters of Windows-1252. */
const windows = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

/** Decodes HTML entities once: numeric entities, and entities with common names. Other entities stay unchanged. */
export function decodeEntities(text: string): string {
  return text.replace(/&(#[xX][\da-fA-F]{1,6}|#\d{1,7}|[a-zA-Z][a-zA-Z\d]{1,15});/g, (entity, name: string) =>
    name.startsWith("#") ? characterOf(name.slice(1)) : (named.get(name) ?? entity),
  );
}

function characterOf(digits: string): string {
  const code = /^x/i.test(digits) ? Number.parseInt(digits.slice(1), 16) : Number(digits);
  if (code >= 128 && code <= 159) return windows.charAt(code - 128);
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : "\uFFFD";
}
