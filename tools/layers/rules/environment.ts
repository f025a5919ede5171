import type { Rule } from "../rule.ts";
import { isBuilt, manifestOf } from "../workspace.ts";

/** Packages are told what they need; only those that layers.mjs names look it up in the environment. */
export const environment: Rule = function* ({ path, environmentReads }, { layers, manifests }) {
  const isReader = layers.environmentReaders.some((reader) => path === reader || path.startsWith(`${reader}/`));
  if (isReader || !isBuilt(path, manifestOf(path, manifests))) return;
  for (const line of environmentReads) {
    yield {
      file: path,
      line,
      rule: "environment",
      message: "A package reads no environment: take the value as an option, or the key from keys/resolve-key.ts.",
    };
  }
};
