import { cutText } from "./cut-text.ts";

/**
 * Function that replaces secret values in a string by `redactedText` and cuts the string to `maxLength` characters. No
 * part of a secret remains at the cut.
 */
export type Masker = (text: string, maxLength?: number) => string;

/** String that a masker writes instead of a secret value. */
export const redactedText = "[redacted]";

/** Minimum length of masked values, in characters. Shorter values are ordinary words. */
const shortestMasked = 4;

/**
 * Makes a masker for these values, such as API keys. It also masks their percent-encoded and JSON-encoded forms. Values
 * of less than 4 characters are not masked.
 */
export function createMasker(values: Iterable<string>): Masker {
  const masked = [...values].filter((value) => value.length >= shortestMasked);
  // The longest spelling of a secret comes first: if two values have the same beginning, the longer value is found as a
  // whole.
  const spellings = [...new Set(masked.flatMap(spellingsOf))].toSorted((one, other) => other.length - one.length);
  const pattern = new RegExp(spellings.map(escapePattern).join("|") || matchesNothing, "g");
  const longest = spellings[0]?.length ?? 0;

  return (text, maxLength = Infinity) => {
    const shown: string[] = [];
    let end = 0;
    // Searches for secrets beyond the cut of the string, to find a value that the cut divides.
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
