/** The languages of the page's own texts, as BCP 47 tags. */
export const languages = ["en", "de"] as const;

/** A language of the page's own texts. */
export type Language = (typeof languages)[number];

/**
 * Returns the language that a visitor prefers among those that the host offers, from the `Accept-Language` of the
 * request. The first offered language stands for any other.
 */
export function chooseLanguage(offered: readonly Language[], header = ""): Language {
  const [first = "en"] = offered;
  const accepted = header
    .split(",")
    .map(readRange)
    .filter(({ weight }) => weight > 0)
    .toSorted((one, other) => other.weight - one.weight);
  for (const { tag } of accepted) {
    const found = tag === "*" ? first : offered.find((each) => tag === each || tag.startsWith(`${each}-`));
    if (found !== undefined) return found;
  }
  return first;
}

function readRange(range: string): { readonly tag: string; readonly weight: number } {
  const [tag = "", ...parameters] = range.split(";").map((each) => each.trim().toLowerCase());
  const weight = Number(parameters.find((each) => each.startsWith("q="))?.slice(2) ?? 1);
  return { tag, weight: weight >= 0 && weight <= 1 ? weight : 0 };
}
