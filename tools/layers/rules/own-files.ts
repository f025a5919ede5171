import type { Rule } from "../rule.ts";
import { isBuilt, isTest, manifestOf } from "../workspace.ts";

/** Rule: relative paths stay inside their package, and built code does not import tests. */
export const ownFiles: Rule = function* ({ path, imports }, { manifests }) {
  const own = manifestOf(path, manifests);
  for (const { target, specifier, line } of imports) {
    if (target.kind !== "file") continue;
    if (manifestOf(target.path, manifests).folder !== own.folder) {
      yield {
        file: path,
        line,
        rule: "leaves-package",
        message: `${specifier} leads out of ${own.folder || "the root"}: import the other package by its name, through its entry point.`,
      };
    } else if (isBuilt(path, own) && isTest(target.path)) {
      yield {
        file: path,
        line,
        rule: "test-helper",
        message: `${specifier} is a test helper and is not built: move what is needed beside this file.`,
      };
    }
  }
};
