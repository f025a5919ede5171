import type { PackageRule } from "./rule.ts";

const build = "tsup --config ../../tsup.config.ts && tsc -p tsconfig.build.json";

/** Scripts that a package manager runs automatically, on install or while packing. */
const automatic = /^(pre|post)?(install|uninstall|prepare|pack|publish)$|^prepublishOnly$|^dependencies$/;

/** Rule: all packages build in the same way, and none runs a script when it is installed. */
export const scripts: PackageRule = ({ manifest, path, read }) => {
  const wrong = Object.keys(manifest.scripts ?? {})
    .filter((script) => automatic.test(script))
    .map((script) => `${path}/package.json: remove the "${script}" script: a package manager runs it by itself.`);
  if (manifest.scripts?.["build"]?.startsWith(build) !== true) {
    wrong.push(`${path}/package.json: the "build" script must begin with "${build}".`);
  }
  if (read("tsconfig.build.json")?.replaceAll(/\s/g, "") !== '{"extends":"../../tsconfig.build.json"}') {
    wrong.push(
      `${path}/tsconfig.build.json: it must hold { "extends": "../../tsconfig.build.json" } and nothing else.`,
    );
  }
  return wrong;
};
