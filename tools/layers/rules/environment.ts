import type { Rule } from "../rule.ts";
import { isBuilt, manifestOf } from "../workspace.ts";

/** Rule: packages take their settings as options. Only the files listed in layers.ts read the environment. */
export const environment: Rule = function* ({ path, environmentReads }, { layers, manifests }) {
  const isReader = layers.environmentReaders.some((reader) => path === reader || path.startsWith(`${reader}/`));
  if (isReader || !isBuilt(path, manifestOf(path, manifests))) return;
  for (const line of environmentReads) {
    yield {
      file: path,
      line,
      rule: "environment",
      message:
        "A package reads no environment: take the value as an option, or read it in keys/read-environment.ts of core.",
    };
  }
};
