import type { Rule } from "../rule.ts";

/** A file parses: otherwise its imports would stay hidden. */
export const readable: Rule = function* ({ path, syntaxErrors }) {
  for (const message of syntaxErrors)
    yield { file: path, line: 1, rule: "syntax", message: `The file does not parse: ${message}` };
};
