import { dependencies } from "./rules/dependencies.ts";
import { doors } from "./rules/doors.ts";
import { identity } from "./rules/identity.ts";
import { privacy } from "./rules/privacy.ts";
import type { PackageRule } from "./rules/rule.ts";
import { scripts } from "./rules/scripts.ts";
import type { Workspace } from "./workspace.ts";

const rules: readonly PackageRule[] = [identity, doors, scripts, dependencies];

/** Says what is wrong with the packages as they are written down, without building anything. */
export function checkShape(workspace: Workspace): string[] {
  const wrong = workspace.packages.flatMap((subject) => rules.flatMap((rule) => rule(subject, workspace)));
  return [...wrong, ...privacy(workspace)];
}
