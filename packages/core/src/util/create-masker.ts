/** Hides values in a string and cuts it to `maxLength`, without leaving a part of a value at the cut. */
export type Masker = (text: string, maxLength?: number) => string;

/** Replacement of hidden values. */
export const mask = "[redacted]";

/** Least length of hidden values. Shorter ones are ordinary words. */
const shortestMasked = 4;

/** Makes a masker of the values, which it also finds percent-encoded and JSON-encoded. */
export function createMasker(values: Iterable<string>): Masker {
  const masked = [...values].filter((value) => value.length >= shortestMasked);
  // Longest first: of two values that begin alike, the longer one is found as a whole.
  const spellings = [...new Set(masked.flatMap(spellingsOf))].toSorted((one, other) => other.length - one.length);
  const pattern = new RegExp(spellings.map(escapePattern).join("|") || matchesNothing, "g");
  const longest = spellings[0]?.length ?? 0;

  return (text, maxLength = Infinity) => {
    const shown: string[] = [];
    let end = 0;
    // Beyond the cut too, to find a value that the cut divides.
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
