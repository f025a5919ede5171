import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

type Changed = { readonly file: string; readonly text: string };

/**
 * Returns the mutations that the compiler rejects, which nobody could commit. Each is written beside the original in a
 * copy of its package, so that one run of the compiler is enough. A plain copy of the original shows which errors the
 * copying causes.
 */
export function findRefused<Change extends Changed>(root: string, changes: readonly Change[]): Set<Change> {
  const refused = new Set<Change>();
  const byFolder = Map.groupBy(changes, ({ file }) => sourcesOf(file));
  for (const [folder, ofFolder] of byFolder) {
    const errors = errorsOf(root, folder, ofFolder);
    for (const [index, change] of ofFolder.entries()) {
      const usual = errors.get(variantOf(change.file, "original"));
      const own = errors.get(variantOf(change.file, index));
      if (own?.some((error) => usual?.includes(error) !== true) === true) refused.add(change);
    }
  }
  return refused;
}

/** Returns the package folder of a file. */
export function packageOf(file: string): string {
  return file.split("/").slice(0, 2).join("/");
}

/** Returns the folder of sources that are checked together: `src` of a package, or the client of the page. */
function sourcesOf(file: string): string {
  return file.split("/").slice(0, 3).join("/");
}

function variantOf(file: string, name: string | number): string {
  return file.replace(/\.(tsx?)$/, `.variant-${name}.$1`);
}

/** Returns the compiler's settings for a folder: its own, or those of all packages. */
function settingsOf(copy: string, folder: string): object {
  const own = `${folder}/tsconfig.json`;
  return {
    extends: `./${existsSync(join(copy, own)) ? own : "tsconfig.base.json"}`,
    compilerOptions: { noEmit: true },
  };
}

/** Returns the errors of each variant of a file in a folder of sources. */
function errorsOf(root: string, folder: string, changes: readonly Changed[]): Map<string, string[]> {
  const copy = mkdtempSync(join(tmpdir(), "troupe-mutate-"));
  try {
    const home = packageOf(folder);
    // The client of the page has types from `src`.
    for (const path of ["tsconfig.base.json", `${home}/package.json`, `${home}/src`, folder]) {
      cpSync(join(root, path), join(copy, path), { recursive: true });
    }
    for (const modules of ["node_modules", `${home}/node_modules`]) {
      mkdirSync(dirname(join(copy, modules)), { recursive: true });
      symlinkSync(join(root, modules), join(copy, modules));
    }
    for (const [index, { file, text }] of changes.entries()) {
      cpSync(join(root, file), join(copy, variantOf(file, "original")));
      writeFileSync(join(copy, variantOf(file, index)), text);
    }
    const settings = { ...settingsOf(copy, folder), include: [folder], exclude: ["**/*.test.ts", "**/test/**"] };
    writeFileSync(join(copy, "tsconfig.json"), JSON.stringify(settings));
    const tsc = join(root, "node_modules/.bin/tsc");
    const { stdout } = spawnSync(tsc, ["-p", ".", "--pretty", "false"], { cwd: copy, encoding: "utf8" });
    const errors = new Map<string, string[]>();
    for (const [, file = "", error = ""] of stdout.matchAll(/^(\S+?)\(\d+,\d+\): error (.*)/gm)) {
      errors.set(file, [...(errors.get(file) ?? []), error.replaceAll(/\.variant-\w+/g, "")]);
    }
    return errors;
  } finally {
    rmSync(copy, { recursive: true });
  }
}
