import type { PackageRule } from "./rule.ts";

const build = "tsup --config ../../tsup.config.ts && tsc -p tsconfig.build.json";

/** Scripts that a package manager runs by itself: on the machine of whoever installs, or while we pack. */
const automatic = /^(pre|post)?(install|uninstall|prepare|pack|publish)$|^prepublishOnly$|^dependencies$/;

/** All packages build the same way, and none runs anything on the machine of whoever installs it. */
export const scripts: PackageRule = ({ manifest, path, read }) => {
  const wrong = Object.keys(manifest.scripts ?? {})
    .filter((script) => automatic.test(script))
    .map(
      (script) =>
        `${path}/package.json: no package may have a "${script}" script; nothing runs when ours are installed.`,
    );
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
