import type { Rule } from "../rule.ts";
import { isBuilt, manifestOf } from "../workspace.ts";

/** A timer or a listener is kept by what ends it: one that is forgotten acts on what was closed, and holds it in memory. */
export const timers: Rule = function* ({ path, leftTimers }, { manifests }) {
  // What tests are made of ends with them.
  if (!/^(packages|apps)\/(?!core\/src\/testing\/)/.test(path) || !isBuilt(path, manifestOf(path, manifests))) return;
  for (const line of leftTimers) {
    yield {
      file: path,
      line,
      rule: "timers",
      message: "Nothing ends this: keep the timer and clear it, remove the listener, or give it a signal that ends it.",
    };
  }
};
