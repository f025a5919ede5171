import type { Rule } from "../rule.ts";

/** Rule: a file parses, because its imports would stay hidden otherwise. */
export const readable: Rule = function* ({ path, syntaxErrors }) {
  for (const message of syntaxErrors)
    yield { file: path, line: 1, rule: "syntax", message: `The file does not parse: ${message}` };
};
