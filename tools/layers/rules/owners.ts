import type { Rule } from "../rule.ts";
import { isBuilt, manifestOf } from "../workspace.ts";

/** An owner is one value: only its own modules look at the user and the tenant apart. */
export const owners: Rule = function* ({ path, ownerNames }, { layers, manifests }) {
  const isServing = /^(packages|apps)\//.test(path) && !path.startsWith(`${layers.testKit}/`);
  if (!isServing || layers.ownerModules.includes(path) || !isBuilt(path, manifestOf(path, manifests))) return;
  for (const line of ownerNames) {
    yield {
      file: path,
      line,
      rule: "owner",
      message:
        "An owner is a user, a tenant and whether the user is verified: compare, hash and store ownerKey(owner), not one of them.",
    };
  }
};
