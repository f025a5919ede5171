import { asArray, fieldsOf } from "./schema.ts";
import type { Schema } from "./schema.ts";
import { findWords, isRelated } from "./words.ts";

/** A tool, a member of a team or an option, with the fields that it is rated by. */
export type RatedTool = { readonly name: string; readonly description: string; readonly parameters: Schema };

type Description = {
  readonly name: ReadonlySet<string>;
  readonly about: ReadonlySet<string>;
  readonly hints: ReadonlySet<string>;
};

/** The words of a tool: of its name, of the first sentence of its description, and of its arguments and their options. */
function describe({ name, description, parameters }: RatedTool): Description {
  const [sentence = ""] = description.split(/(?<=[.!?])\s/);
  const hints = fieldsOf(parameters).flatMap((field) => [field.name, ...asArray(field.schema["enum"]).map(String)]);
  return {
    name: new Set(findWords(name.replaceAll("_", " "))),
    about: new Set(findWords(sentence)),
    hints: new Set(findWords(hints.join(" "))),
  };
}

/** Returns a score for the fit of words to a tool or a member of a team; 0 for none. */
export function rateTool(tool: RatedTool, words: readonly string[]): number {
  const description = describe(tool);
  return [...new Set(words)].reduce((sum, word) => sum + scoreWord(word, description), 0);
}

function scoreWord(word: string, { name, about, hints }: Description): number {
  if (name.has(word)) return 3;
  if (isRelated(word, name)) return 2.5;
  if (about.has(word)) return 2;
  if (isRelated(word, about)) return 1.5;
  return hints.has(word) ? 1 : 0;
}
