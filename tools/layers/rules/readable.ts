import type { Rule } from "../rule.ts";

/** A file that does not parse hides its imports, so it is itself a violation. */
export const readable: Rule = function* ({ path, syntaxErrors }) {
  for (const message of syntaxErrors)
    yield { file: path, line: 1, rule: "syntax", message: `The file does not parse: ${message}` };
};
