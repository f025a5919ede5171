import { asArray, fieldsOf } from "./schema.ts";
import type { Schema } from "./schema.ts";
import { findWords, isRelated } from "./words.ts";

/** A tool, a team member or an option, with the fields by which it is rated. */
export type RatedTool = { readonly name: string; readonly description: string; readonly parameters: Schema };

type Description = {
  readonly name: ReadonlySet<string>;
  readonly about: ReadonlySet<string>;
  readonly hints: ReadonlySet<string>;
};

/** Returns the words of a tool: of its name, the first sentence of its description, its arguments and their options. */
function describe({ name, description, parameters }: RatedTool): Description {
  const [sentence = ""] = description.split(/(?<=[.!?])\s/);
  const hints = fieldsOf(parameters).flatMap((field) => [field.name, ...asArray(field.schema["enum"]).map(String)]);
  return {
    name: new Set(findWords(name.replaceAll("_", " "))),
    about: new Set(findWords(sentence)),
    hints: new Set(findWords(hints.join(" "))),
  };
}

/** Returns a score for how well words match a tool or a team member; 0 for no match. */
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
