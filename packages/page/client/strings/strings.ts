import { en } from "./en.ts";
import type { Strings } from "./en.ts";

/**
 * The languages of the page, without English, which is always loaded. A host names those that it offers.
 */
const others: Readonly<Record<string, () => Promise<Strings>>> = {
  de: async () => (await import("./de.ts")).de,
};

/** The language of the document, which the service has chosen. Outside a browser it is English. */
const language = (globalThis as { document?: { documentElement?: { lang?: string } } }).document?.documentElement?.lang;

/**
 * The texts in the language of the document. Modules that use them are evaluated once they are loaded, so their
 * constants have the same language.
 */
export const strings: Strings = await load(language ?? "en");

/** The locale for dates and numbers: that of the browser if it has the language of the page. */
export const locale = chooseLocale(language ?? "", globalThis.navigator?.languages ?? []);

async function load(wanted: string): Promise<Strings> {
  if (!Object.hasOwn(others, wanted)) return en;
  try {
    return (await others[wanted]?.()) ?? en;
  } catch {
    // A page in another language is better than none.
    return en;
  }
}

/** Returns the first locale of the browser in a language, or the language; undefined for that of the machine. */
export function chooseLocale(wanted: string, preferred: readonly string[]): string | undefined {
  if (wanted === "") return undefined;
  return preferred.find((each) => each === wanted || each.startsWith(`${wanted}-`)) ?? wanted;
}
