import type { Layers } from "../../../layers.mjs";
import type { Rule } from "../rule.ts";
import { isBuilt, manifestOf } from "../workspace.ts";
import type { Manifest } from "../workspace.ts";

interface Edge {
  readonly path: string;
  readonly own: Manifest;
  /** The package of ours that is imported, and the words it is imported by. */
  readonly name: string;
  readonly specifier: string;
  readonly layers: Layers;
}

interface Objection {
  readonly rule: string;
  readonly message: string;
}

const shared = "what several packages need belongs in @troupe/core/adapter.";

/** Packages know only whom layers.mjs lets them know, and only through the doors. */
export const packageEdges: Rule = function* ({ path, imports }, { layers, manifests }) {
  const own = manifestOf(path, manifests);
  for (const { target, specifier, line } of imports) {
    if (target.kind !== "package" || !/^@troupe(-internal)?\//.test(target.name)) continue;
    const edge = { path, own, name: target.name, specifier, layers };
    const objection = wrongPackage(edge) ?? wrongDoor(edge) ?? onlyForTests(edge);
    if (objection !== undefined) yield { file: path, line, ...objection };
  }
};

function wrongPackage(edge: Edge): Objection | undefined {
  if (edge.name === edge.own.name) return ownDoor(edge);
  const { path, own, name, layers } = edge;
  if (name.startsWith("@troupe-internal/")) {
    if (layers.internalUsers[name]?.includes(own.name) === true) return undefined;
    return {
      rule: "internal",
      message: `layers.mjs does not name ${own.name} among the users of the private ${name}: ${shared}`,
    };
  }
  const allowed = layers.packageEdges[own.folder] ?? layers.packageEdges[topFolder(path)] ?? [];
  if (allowed.includes(name) || allowed.includes("@troupe/*")) return undefined;
  return { rule: "edge", message: `layers.mjs has no edge from ${own.name} to ${name}: ${shared}` };
}

/** Examples and tests beside `src` see their package as its users do; its source does not. */
function ownDoor({ path, own, name }: Edge): Objection | undefined {
  if (!path.startsWith(`${own.folder}/src/`)) return undefined;
  return { rule: "own-door", message: `${name} does not import itself: use the relative path of the file.` };
}

function wrongDoor({ name, specifier, layers }: Edge): Objection | undefined {
  const doors = name === "@troupe/core" ? Object.keys(layers.coreDoors) : [name];
  if (doors.includes(specifier)) return undefined;
  return { rule: "deep-path", message: `${specifier} is no door: import from ${doors.join(", ")}.` };
}

function onlyForTests({ path, own, specifier, layers: { testDoors } }: Edge): Objection | undefined {
  if (!testDoors.names.includes(specifier) || !isBuilt(path, own)) return undefined;
  if ([own.folder, topFolder(path)].some((folder) => testDoors.users.includes(folder))) return undefined;
  return {
    rule: "test-door",
    message: `${specifier} is for tests: what a package needs at run time belongs in @troupe/core/adapter.`,
  };
}

function topFolder(path: string): string {
  return path.split("/")[0] ?? "";
}
