import { isBuiltin } from "node:module";
import { posix } from "node:path";

/** What an import specifier names. `alias` is everything that is neither a path, a package nor a module of Node. */
export type Target =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "package"; readonly name: string }
  | { readonly kind: "builtin" }
  | { readonly kind: "alias" };

/** Says what the specifier names, seen from the file that imports it. */
export function resolveImport(from: string, specifier: string): Target {
  if (/^\.\.?(\/|$)/.test(specifier))
    return { kind: "file", path: sourcePath(posix.join(posix.dirname(from), specifier)) };
  if (isBuiltin(specifier)) return { kind: "builtin" };
  const name = /^(@[^/]+\/[^/]+|[^@#./~][^/:]*)(\/|$)/.exec(specifier)?.[1];
  return name === undefined ? { kind: "alias" } : { kind: "package", name };
}

/** The source behind a path that is written for the built file. */
function sourcePath(path: string): string {
  return path.replace(/\.js$/, ".ts");
}
