import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { addablePackages } from "./addable-packages.ts";
import { ProjectError } from "./project-error.ts";
import { ownVersion, rangeOf } from "./versions.ts";

/** The result of adding a package to a project. */
export interface AddedPackage {
  readonly name: string;
  /** The dependencies that the package.json did not have, with their ranges. */
  readonly added: Readonly<Record<string, string>>;
  /** The two lines of code with which a program begins to use the package. */
  readonly lines: readonly [imported: string, used: string];
}

type Manifest = { dependencies?: Record<string, string> } & Readonly<Record<string, unknown>>;

const core = "@troupe/core";

/**
 * Adds a package to the dependencies of the project in a folder, with the version range that fits the project's
 * `@troupe/core`. The rest of the package.json stays as it is, and nothing is installed. `provider-anthropic`,
 * `providers-anthropic` and `@troupe/providers-anthropic` are the same package.
 */
export function addPackage(folder: string, wanted: string): AddedPackage {
  const short = shortName(wanted);
  const found = addablePackages[short];
  if (found === undefined) {
    const known = Object.keys(addablePackages).join(", ");
    throw new ProjectError(`There is no package "${wanted}". Expected one of ${known}.`);
  }
  const file = join(folder, "package.json");
  const text = readManifestText(file, folder);
  const manifest = parseManifest(text, file);
  const { dependencies = {} } = manifest;
  const name = `@troupe/${short}`;
  // All packages of Troupe have the same version, so the version range of the project's core is used.
  const range = dependencies[core] ?? `^${ownVersion()}`;
  const needed = {
    ...(short !== "client" && { [core]: range }),
    [name]: range,
    ...Object.fromEntries((found.libraries ?? []).map((library) => [library, rangeOf(library)])),
  };
  const added = Object.fromEntries(Object.entries(needed).filter(([each]) => dependencies[each] === undefined));
  const sorted = Object.entries({ ...dependencies, ...added }).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const changed = { ...manifest, dependencies: Object.fromEntries(sorted) };
  if (Object.keys(added).length > 0) writeFileSync(file, `${JSON.stringify(changed, null, indentOf(text))}\n`);
  return { name, added, lines: found.lines };
}

/**
 * Returns a package's name without `@troupe/`, with its family in the plural: `providers-openai` for `provider-openai`.
 */
function shortName(wanted: string): string {
  const short = wanted.replace(/^@troupe\//, "");
  const families: Readonly<Record<string, string>> = { provider: "providers", toolkit: "toolkits" };
  return short.replace(/^(provider|toolkit)-/, (_, family: string) => `${families[family]}-`);
}

function readManifestText(file: string, folder: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new ProjectError(`There is no package.json in ${folder}. Run the command in the folder of a project.`);
  }
}

function parseManifest(text: string, file: string): Manifest {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, "")) as Manifest;
  } catch {
    throw new ProjectError(`${file} is not valid JSON. Mend it first.`);
  }
}

/** Returns the indentation of a JSON text: spaces, or a tab. */
function indentOf(text: string): string {
  return /^\{\r?\n([ \t]+)"/.exec(text)?.[1] ?? "  ";
}
