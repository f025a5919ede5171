import { isDeepStrictEqual } from "node:util";
import type { Manifest } from "../workspace.ts";
import type { PackageRule } from "./rule.ts";

/** Rule: all published packages have the same metadata, and a README that agrees with it. */
export const identity: PackageRule = (subject, workspace) => {
  const { manifest, path } = subject;
  const core = workspace.packages.find(({ folder }) => folder === "core");
  const expected = {
    ...namedFor(subject.folder),
    version: core?.manifest.version,
    license: "MIT",
    type: "module",
    sideEffects: false,
    engines: workspace.root.engines,
    ...addressesOf(workspace.root, path),
  };
  const wrong = Object.entries(expected)
    .filter(([field, value]) => !isDeepStrictEqual(manifest[field as keyof typeof expected], value))
    .map(([field, value]) => `${path}/package.json: "${field}" must be ${JSON.stringify(value)}.`);
  if (manifest.private === true)
    wrong.push(`${path}/package.json: packages in packages/ are published; remove "private".`);
  if (manifest.publishConfig?.access !== "public") {
    wrong.push(`${path}/package.json: "publishConfig.access" must be "public".`);
  }
  // Search words of the package; each must be unique.
  const words = manifest.keywords ?? [];
  if (words.length < 3 || new Set(words).size < words.length || words.some((word) => !/^[a-z][a-z0-9-]*$/.test(word))) {
    wrong.push(`${path}/package.json: "keywords" must be at least three words in lower case, each once.`);
  }
  return [...wrong, ...wrongReadme(subject.read("README.md"), manifest, path)];
};

/** Returns the name and the files. npm finds the command of `npm create troupe` under a name without a scope. */
function namedFor(folder: string) {
  if (folder.startsWith("create-")) return { name: folder, files: ["dist", "templates"] };
  return { name: `@troupe/${folder}`, files: ["dist"] };
}

/** Returns the addresses that npm links to, from the repository in the root manifest. */
function addressesOf({ repository }: Manifest, path: string) {
  const url = repository?.url ?? "";
  const page = url.replace(/^git\+/, "").replace(/\.git$/, "");
  return {
    repository: { type: "git", url, directory: path },
    homepage: `${page}/tree/main/${path}#readme`,
    bugs: `${page}/issues`,
  };
}

function wrongReadme(
  readme: string | undefined,
  { name, description }: { name?: string; description?: string },
  path: string,
) {
  if (description === undefined)
    return [`${path}/package.json: "description" must be the first sentence of the README.`];
  if (readme === undefined) return [`${path}: there is no README.md.`];
  const [title, sentence] = readme.split("\n").filter((line) => line.trim() !== "");
  const wrong: string[] = [];
  if (title !== `# ${name}`) wrong.push(`${path}/README.md: the first line must be "# ${name}".`);
  if (sentence !== description) {
    wrong.push(
      `${path}/README.md: the line after the title must be the "description" of package.json: "${description}".`,
    );
  }
  return wrong;
}
