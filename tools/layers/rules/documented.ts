import type { Rule } from "../rule.ts";
import { isBuilt, manifestOf } from "../workspace.ts";

/** Every export of a published or bundled package says in a sentence what it promises. */
export const documented: Rule = function* ({ path, undocumented }, { manifests }) {
  if (!isBuilt(path, manifestOf(path, manifests))) return;
  for (const line of undocumented) {
    yield {
      file: path,
      line,
      rule: "undocumented",
      message:
        "An export says in one sentence what it promises: write a /** doc comment */ above it, or stop exporting it.",
    };
  }
};
