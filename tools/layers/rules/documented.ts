import type { Rule } from "../rule.ts";
import { isBuilt, manifestOf } from "../workspace.ts";

/** Rule: every export of a published or bundled package has a doc comment. */
export const documented: Rule = function* ({ path, undocumented }, { manifests }) {
  if (!isBuilt(path, manifestOf(path, manifests))) return;
  for (const line of undocumented) {
    yield {
      file: path,
      line,
      rule: "undocumented",
      message: "An export has a doc comment: write one above it, or stop exporting it.",
    };
  }
};
