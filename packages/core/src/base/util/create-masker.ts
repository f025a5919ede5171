import { cutText } from "./cut-text.ts";

/**
 * Function that replaces secret values in a string by `redactedText` and cuts the string to `maxLength` characters, without
 * leaving a part of a value at the cut.
 */
export type Masker = (text: string, maxLength?: number) => string;

/** String that a masker writes in place of a secret value. */
export const redactedText = "[redacted]";

/** Least length of hidden values. Shorter ones are ordinary words. */
const shortestMasked = 4;

/**
 * Makes a masker that hides these values, such as API keys, also where they are percent-encoded or JSON-encoded. Values
 * of less than 4 characters are not hidden.
 */
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
    const endOfSearch = maxLength + longest;
    for (const found of text.slice(0, endOfSearch).matchAll(pattern)) {
      if (found.index >= maxLength) break;
      shown.push(text.slice(end, found.index), redactedText);
      end = found.index + found[0].length;
    }
    shown.push(cutText(text, maxLength).slice(end), text.length > maxLength ? "…" : "");
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
