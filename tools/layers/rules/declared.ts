import type { Layers } from "../layers.ts";
import type { Rule } from "../rule.ts";
import { isBuilt, isTest, manifestOf } from "../workspace.ts";
import type { Manifest } from "../workspace.ts";

const isPrivate = /^@troupe-internal\//;

/**
 * Rule: a module imported by name is a Node module with its prefix, or a package that the file's workspace declares. A
 * name of its `imports` counts as the dependency for which it stands.
 */
export const declared: Rule = function* ({ path, imports }, { layers, manifests }) {
  const own = manifestOf(path, manifests);
  const names = declaredFor(path, own, layers);
  for (const { target, specifier, line } of imports) {
    if (target.kind === "builtin" && !specifier.startsWith("node:")) {
      yield {
        file: path,
        line,
        rule: "node-prefix",
        message: `${specifier} is a module of Node: write node:${specifier}.`,
      };
    }
    if (target.kind === "alias" && !own.replaceable.includes(specifier)) {
      yield {
        file: path,
        line,
        rule: "alias",
        message: `${specifier} is neither a path nor a package: name the file by its relative path.`,
      };
    }
    if (target.kind === "package" && !names.has(target.name)) {
      yield { file: path, line, rule: "undeclared", message: undeclared(target.name, own) };
    }
  }
};

function declaredFor(path: string, own: Manifest, { sharedTestTools }: Layers): Set<string> {
  const names = [own.name, ...own.dependencies];
  // The build bundles private packages, so that a user of the package needs none of them.
  if (isBuilt(path, own)) return new Set([...names, ...own.devDependencies.filter((name) => isPrivate.test(name))]);
  return new Set([...names, ...own.devDependencies, ...(isTest(path) ? sharedTestTools : [])]);
}

function undeclared(name: string, { folder, devDependencies }: Manifest): string {
  const manifest = folder === "" ? "package.json" : `${folder}/package.json`;
  if (devDependencies.includes(name)) {
    return `${name} is only a devDependency in ${manifest}: built code needs it among dependencies or peerDependencies.`;
  }
  return `${name} is not declared in ${manifest}: add it there, or remove the import.`;
}
