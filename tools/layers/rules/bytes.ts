import type { Rule } from "../rule.ts";
import { isBuilt, manifestOf } from "../workspace.ts";

/** A number of bytes is no length: "é" is one character and two bytes, and half of an emoji is one, too. */
export const bytes: Rule = function* ({ path, byteCounts }, { manifests }) {
  if (!/^(packages|apps)\//.test(path) || !isBuilt(path, manifestOf(path, manifests))) return;
  for (const line of byteCounts) {
    yield {
      file: path,
      line,
      rule: "bytes",
      message: "A length is no number of bytes: take byteLength of binary data, and Buffer.byteLength of a text.",
    };
  }
};
