/** Hides values in a text. A text longer than `maxLength` is cut, and no part of a value is left at the cut. */
export type Masker = (text: string, maxLength?: number) => string;

/** What stands where something was hidden. */
export const mask = "[redacted]";

/** Shorter values are words of ordinary text: masking them would hide nothing and make the text unreadable. */
const shortestMasked = 4;

/** Makes a masker of the values: it finds them as they are, percent-encoded, and as JSON writes them. */
export function createMasker(values: Iterable<string>): Masker {
  const masked = [...values].filter((value) => value.length >= shortestMasked);
  // Longest first, so that of two values that begin alike the whole of the longer one is found.
  const spellings = [...new Set(masked.flatMap(spellingsOf))].toSorted((one, other) => other.length - one.length);
  const pattern = new RegExp(spellings.map(escapePattern).join("|") || matchesNothing, "g");
  const longest = spellings[0]?.length ?? 0;

  return (text, maxLength = Infinity) => {
    const shown: string[] = [];
    let end = 0;
    // Beyond the cut too: a value that the cut goes through would no longer be found, and its beginning be left.
    for (const found of text.slice(0, maxLength + longest).matchAll(pattern)) {
      if (found.index >= maxLength) break;
      shown.push(text.slice(end, found.index), mask);
      end = found.index + found[0].length;
    }
    shown.push(text.slice(end, maxLength), text.length > maxLength ? "…" : "");
    return shown.join("");
  };
}

const matchesNothing = "(?!)";

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

function spellingsOf(value: string): string[] {
  const inForm = new URLSearchParams([["", value]]).toString().slice("=".length);
  const inUri = inForm.replaceAll("+", "%20").replace(/%(?:21|27|28|29|7E)/g, (code) => decodeURIComponent(code));
  const inJson = JSON.stringify(value).slice(1, -1);
  return [value, inForm, inUri, lowerCaseCodes(inForm), lowerCaseCodes(inUri), inJson];
}

function lowerCaseCodes(encoded: string): string {
  return encoded.replace(/%[\dA-F]{2}/g, (code) => code.toLowerCase());
}
