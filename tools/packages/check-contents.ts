import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** Files that a package must have in addition to its code. */
const required = ["LICENSE", "README.md", "package.json"];

/** Files that one package must have as well: the index of the guide, and the licences of what the page is bundled with. */
const requiredOf: Readonly<Record<string, readonly string[]>> = {
  "@troupe/core": ["dist/docs/guide/README.md"],
  "@troupe/page": ["geist", "preact", "uplot"].map((library) => `dist/client/${library}.LICENSE.txt`),
};

/** Files that may be in the tarball, without those that only this repository needs. */
const allowed = /^(LICENSE|README\.md|package\.json|dist\/.+)$/;
const forbidden = /\.map$|\.test\.|__fixtures__|\.tsbuildinfo$|(?<!\.d)\.ts$/;

/** Files of a command that makes projects: it writes them as they are. */
const templates = /^templates\//;

/** Patterns that published code must not contain, each with the reason. */
const leaks: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/@troupe-internal\//, "names a private package, which cannot be installed"],
  [/@troupe\/source/, "names the condition that leads to sources, which are not shipped"],
  [/^\/\/# sourceMappingURL=/m, "points to a source map, which is not shipped"],
  [/^\/\/ .*node_modules\//m, "holds a copy of a library; declare it under dependencies"],
];

/** Checks the files of an unpacked package. Returns a sentence for each fault. */
export function checkContents(name: string, unpacked: string): string[] {
  const files = readdirSync(unpacked, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(unpacked, join(entry.parentPath, entry.name)));
  const missing = [...required, ...(requiredOf[name] ?? [])]
    .filter((file) => !files.includes(file))
    .map((file) => `${name} is packed without ${file}.`);
  const surplus = files
    .filter((file) => !(name.startsWith("create-") && templates.test(file)))
    .filter((file) => !allowed.test(file) || forbidden.test(file))
    .map((file) => `${name} ships ${file}, which its users do not need.`);
  const code = files.filter((file) => /\.(js|d\.ts)$/.test(file));
  return [
    ...missing,
    ...surplus,
    ...code.flatMap((file) => checkText(`${name}/${file}`, readFileSync(join(unpacked, file), "utf8"))),
  ];
}

function checkText(where: string, text: string): string[] {
  return leaks.filter(([pattern]) => pattern.test(text)).map(([, reason]) => `${where} ${reason}.`);
}
