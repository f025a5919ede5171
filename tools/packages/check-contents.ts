import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** What a package has to carry beside its code. */
const required = ["LICENSE", "README.md", "package.json"];

/** What may lie in the tarball: nothing that only we need. */
const allowed = /^(LICENSE|README\.md|package\.json|dist\/.+)$/;
const forbidden = /\.map$|\.test\.|__fixtures__|\.tsbuildinfo$|(?<!\.d)\.ts$/;

/** What shipped code must not say, and why. */
const leaks: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/@troupe-internal\//, "names a private package, which nobody else can install"],
  [/@troupe\/source/, "names the condition that leads to sources, which are not shipped"],
  [/^\/\/# sourceMappingURL=/m, "points to a source map, which is not shipped"],
  [/^\/\/ .*node_modules\//m, "carries a copy of somebody else's code; declare it under dependencies"],
];

/** Says what is wrong with the files of an unpacked package. */
export function checkContents(name: string, unpacked: string): string[] {
  const files = readdirSync(unpacked, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(unpacked, join(entry.parentPath, entry.name)));
  const missing = required.filter((file) => !files.includes(file)).map((file) => `${name} is packed without ${file}.`);
  const surplus = files
    .filter((file) => !allowed.test(file) || forbidden.test(file))
    .map((file) => `${name} ships ${file}, which nobody who installs it needs.`);
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
