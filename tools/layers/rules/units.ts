import type { Rule } from "../rule.ts";
import { isBuilt, manifestOf } from "../workspace.ts";

/** A time says its unit in its name: seconds that are taken for milliseconds type-check. */
export const units: Rule = function* ({ path, timeUnits }, { manifests }) {
  if (!/^(packages|apps)\//.test(path) || !isBuilt(path, manifestOf(path, manifests))) return;
  for (const line of timeUnits) {
    yield {
      file: path,
      line,
      rule: "units",
      message:
        "A time has no unit here, or another one: name it `…Ms`, a moment `…At`, and multiply what is in another unit.",
    };
  }
};
