import { oneForEachPlace } from "./find-in-text.ts";

/** Behind the end of a sentence, or where "and" begins another question. */
const border =
  /(?<=[?!.;])\s+|\n+|,?\s+(?:and|then|also)\s+(?=(?:what|what's|how|which|who|when|where|is|do|does|tell|say|give|calculate|work|count|the|my)\b)/i;

/** The questions and statements that a text is made of. One about several places is one about each. */
export function clausesOf(text: string): string[] {
  return text
    .split(border)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== "")
    .flatMap(oneForEachPlace);
}
