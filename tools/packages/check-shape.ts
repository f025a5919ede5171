import { dependencies } from "./rules/dependencies.ts";
import { entryPoints } from "./rules/entry-points.ts";
import { identity } from "./rules/identity.ts";
import { links } from "./rules/links.ts";
import type { PackageRule } from "./rules/rule.ts";
import { scripts } from "./rules/scripts.ts";
import type { Workspace } from "./workspace.ts";

const rules: readonly PackageRule[] = [identity, links, entryPoints, scripts, dependencies];

/** Checks manifests and READMEs without building. Returns a sentence for each fault. */
export function checkShape(workspace: Workspace): string[] {
  const faults = workspace.packages.flatMap((subject) => rules.flatMap((rule) => rule(subject, workspace)));
  return [...faults, ...checkPrivacy(workspace)];
}

/**
 * Checks that applications and private packages are never published, and that the names of private packages show that
 * they are private.
 */
function checkPrivacy({ apps, internal }: Workspace): string[] {
  const published = [...apps, ...internal]
    .filter(({ manifest }) => manifest.private !== true)
    .map(({ path }) => `${path}/package.json: only packages in packages/ are published; write "private": true.`);
  const misnamed = internal
    .filter(({ folder, manifest }) => manifest.name !== `@troupe-internal/${folder}`)
    .map(({ path, folder }) => `${path}/package.json: "name" must be "@troupe-internal/${folder}".`);
  return [...published, ...misnamed];
}
