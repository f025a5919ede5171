import type { Rule } from "../rule.ts";

/** Rule: a text is cut between characters, because half an emoji is not a character, and some databases refuse it. */
export const cuts: Rule = function* ({ path, textCuts }) {
  if (path.endsWith(".test.ts") || path === "packages/core/src/base/util/cut-text.ts") return;
  for (const line of textCuts) {
    yield { file: path, line, rule: "cuts", message: "This may end within a character: cut the text with cutText." };
  }
};
