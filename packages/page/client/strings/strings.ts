import { en } from "./en.ts";
import type { Strings } from "./en.ts";

/** The language of the document, which the service has chosen. Outside a browser it is English. */
const language = (globalThis as { document?: { documentElement?: { lang?: string } } }).document?.documentElement?.lang;

/**
 * The texts in the language of the document. Modules that use them are evaluated once they are loaded, so their
 * constants have the same language.
 */
export const strings: Strings = await loadTexts(en, { de: async () => (await import("./de.ts")).de });

/** The locale for dates and numbers: that of the browser if it has the language of the page. */
export const locale = chooseLocale(language ?? "", globalThis.navigator?.languages ?? []);

/**
 * Loads texts in the language of the document. The English ones, which are always loaded, stand for a language that is
 * not among the others, or that could not be loaded.
 */
export async function loadTexts<Texts>(
  english: Texts,
  others: Readonly<Record<string, () => Promise<Texts>>>,
): Promise<Texts> {
  const wanted = language ?? "en";
  if (!Object.hasOwn(others, wanted)) return english;
  try {
    return (await others[wanted]?.()) ?? english;
  } catch {
    // A page in another language is better than none.
    return english;
  }
}

/** Returns the first locale of the browser in a language, or the language; undefined for that of the machine. */
export function chooseLocale(wanted: string, preferred: readonly string[]): string | undefined {
  if (wanted === "") return undefined;
  return preferred.find((each) => each === wanted || each.startsWith(`${wanted}-`)) ?? wanted;
}
