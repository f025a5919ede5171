import type { Layers } from "../layers.ts";
import type { Rule } from "../rule.ts";
import { isBuilt, manifestOf } from "../workspace.ts";
import type { Manifest } from "../workspace.ts";

interface Edge {
  readonly path: string;
  readonly own: Manifest;
  /** The imported package of this repository, and the specifier of the import. */
  readonly name: string;
  readonly specifier: string;
  readonly layers: Layers;
}

interface Objection {
  readonly rule: string;
  readonly message: string;
}

const shared = "what several packages need belongs in @troupe/core/kit.";

/** Rule: packages import only the packages that layers.ts allows, and only through their entry points. */
export const packageEdges: Rule = function* ({ path, imports }, { layers, manifests }) {
  const own = manifestOf(path, manifests);
  for (const { target, specifier, line } of imports) {
    if (target.kind !== "package" || !/^@troupe(-internal)?\//.test(target.name)) continue;
    const edge = { path, own, name: target.name, specifier, layers };
    const objection = wrongPackage(edge) ?? wrongEntryPoint(edge) ?? onlyForTests(edge);
    if (objection !== undefined) yield { file: path, line, ...objection };
  }
};

function wrongPackage(edge: Edge): Objection | undefined {
  if (edge.name === edge.own.name) return ownEntryPoint(edge);
  const { path, own, name, layers } = edge;
  if (name.startsWith("@troupe-internal/")) {
    if (layers.internalUsers[name]?.includes(own.name) === true) return undefined;
    return {
      rule: "internal",
      message: `layers.ts does not name ${own.name} among the users of the private ${name}: ${shared}`,
    };
  }
  const allowed = layers.packageEdges[own.folder] ?? layers.packageEdges[topFolder(path)] ?? [];
  if (allowed.includes(name) || allowed.includes("@troupe/*")) return undefined;
  return { rule: "edge", message: `layers.ts has no edge from ${own.name} to ${name}: ${shared}` };
}

/** Examples and tests beside `src` import their package like its users; its source does not. */
function ownEntryPoint({ path, own, name }: Edge): Objection | undefined {
  if (!path.startsWith(`${own.folder}/src/`)) return undefined;
  return { rule: "own-entry-point", message: `${name} does not import itself: use the relative path of the file.` };
}

function wrongEntryPoint({ name, specifier, layers }: Edge): Objection | undefined {
  const others = Object.keys(layers.entryPoints).filter((entryPoint) => entryPoint.startsWith(`${name}/`));
  const entryPoints = [name, ...others];
  if (entryPoints.includes(specifier)) return undefined;
  return { rule: "deep-path", message: `${specifier} is not an entry point: import from ${entryPoints.join(", ")}.` };
}

function onlyForTests({ path, own, specifier, layers: { testEntryPoints } }: Edge): Objection | undefined {
  if (!testEntryPoints.names.includes(specifier) || !isBuilt(path, own)) return undefined;
  if ([own.folder, topFolder(path)].some((folder) => testEntryPoints.users.includes(folder))) return undefined;
  return {
    rule: "test-entry-point",
    message: `${specifier} is for tests: what a package needs at run time belongs in another entry point of core.`,
  };
}

function topFolder(path: string): string {
  return path.split("/")[0] ?? "";
}
