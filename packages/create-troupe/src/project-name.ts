import { builtinModules } from "node:module";

/** Maximum number of characters of a package name that npm accepts. */
const maxNameLength = 214;
const fallback = "my-agents";

/** Returns the reason why npm would refuse a name of a package, or undefined if it is valid. */
export function nameFault(name: string): string | undefined {
  if (name === "") return "it is empty";
  if (name.length > maxNameLength) return `it is longer than ${maxNameLength} characters`;
  if (name !== name.toLowerCase()) return "it has capital letters";
  if (!/^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/.test(name)) {
    return "it may only have letters a to z, digits and - . _ ~, and may not begin with . or _";
  }
  if (["node_modules", "favicon.ico"].includes(name)) return "npm reserves it";
  return builtinModules.includes(name) ? "a module of Node has it" : undefined;
}

/**
 * Returns a valid name of a package for the name of a folder, which may have spaces, capitals and letters of any
 * script: `Meine Agenten` becomes `meine-agenten`.
 */
export function nameOfFolder(folder: string): string {
  const name = folder
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{Mark}/gu, "")
    .replaceAll(/[^a-z0-9~-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  const cut = name.slice(0, 100);
  return nameFault(cut) === undefined ? cut : fallback;
}
