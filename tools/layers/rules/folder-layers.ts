import type { Layers } from "../layers.ts";
import type { Import } from "../parse-source.ts";
import type { Rule, Violation } from "../rule.ts";
import { folderPlaces } from "./folder-place.ts";
import type { FolderPlace } from "./folder-place.ts";

type Objection = Pick<Violation, "rule" | "message">;

/**
 * Rule: every file of a layered folder is on a layer, and imports only from lower layers, never from neighbours or
 * entry points.
 */
export const folderLayers: Rule = function* ({ path, imports }, { layers }) {
  if (hasNoLayers(path, layers)) yield { file: path, line: 1, ...withoutLayers(path) };
  for (const from of folderPlaces(path, layers)) {
    if (from.isEntryPoint || (from.isTest && !from.isInFolder)) continue;
    if (from.layer === -1) {
      yield { file: path, line: 1, ...withoutLayer(from) };
      continue;
    }
    for (const each of imports) {
      const objection = objectionTo(each, from, layers);
      if (objection !== undefined) yield { file: path, line: each.line, ...objection };
    }
  }
};

/** Returns true for a file of a published package whose folders have no layers. */
function hasNoLayers(path: string, { folderLayers: known }: Layers): boolean {
  const [, source] = /^(packages\/[^/]+\/src)\/(?!test\/)[^/]+\//.exec(path) ?? [];
  return source !== undefined && known[source] === undefined;
}

function withoutLayers(path: string): Objection {
  const source = path.split("/").slice(0, 3).join("/");
  return { rule: "no-layers", message: `layers.ts has no layers for the folders of ${source}: add them there.` };
}

function withoutLayer({ folder, isInFolder, source }: FolderPlace): Objection {
  if (isInFolder) {
    return {
      rule: "unknown-folder",
      message: `layers.ts has no layer for the folder ${folder}: add it there, or move the file.`,
    };
  }
  return {
    rule: "root-file",
    message: `Only entry points stand beside the folders of ${source}: move this file into the folder whose noun it is about.`,
  };
}

function objectionTo({ target, specifier }: Import, from: FolderPlace, layers: Layers): Objection | undefined {
  const places = target.kind === "file" ? folderPlaces(target.path, layers) : [];
  const to = places.find(({ source }) => source === from.source);
  if (to === undefined) return undefined;
  if (to.isEntryPoint) {
    return {
      rule: "entry-point",
      message: `No file of a package imports an entry point: name the file that declares what is needed instead of ${specifier}.`,
    };
  }
  return from.isTest && to.isTestKit ? undefined : notDown(from, to);
}

function notDown(from: FolderPlace, to: FolderPlace): Objection | undefined {
  if (to.layer === -1 || to.folder === from.folder || to.layer < from.layer) return undefined;
  if (to.layer === from.layer) {
    return {
      rule: "sideways",
      message: `${from.folder} and ${to.folder} share a layer and do not know each other: move what both need to a layer below.`,
    };
  }
  return {
    rule: "upward",
    message: `${from.folder} stands below ${to.folder}: take what is needed as an argument, or move the shared part down.`,
  };
}
