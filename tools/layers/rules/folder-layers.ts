import type { Layers } from "../../../layers.mjs";
import type { Import } from "../parse-source.ts";
import type { Rule, Violation } from "../rule.ts";
import { folderPlace } from "./folder-place.ts";
import type { FolderPlace } from "./folder-place.ts";

type Objection = Pick<Violation, "rule" | "message">;

/** Every file of a layered package stands on a layer, and its imports point down: to lower layers, never to neighbours or entry points. */
export const folderLayers: Rule = function* ({ path, imports }, { layers }) {
  const from = folderPlace(path, layers);
  if (from === undefined || from.isEntryPoint || (from.isTest && !from.isInFolder)) return;
  if (from.layer === -1) {
    yield { file: path, line: 1, ...withoutLayer(from) };
    return;
  }
  for (const each of imports) {
    const objection = objectionTo(each, from, layers);
    if (objection !== undefined) yield { file: path, line: each.line, ...objection };
  }
};

function withoutLayer({ folder, isInFolder, source }: FolderPlace): Objection {
  if (isInFolder) {
    return {
      rule: "unknown-folder",
      message: `layers.mjs has no layer for the folder ${folder}: add it there, or move the file.`,
    };
  }
  return {
    rule: "root-file",
    message: `Only entry points stand beside the folders of ${source}: move this file into the folder whose noun it is about.`,
  };
}

function objectionTo({ target, specifier }: Import, from: FolderPlace, layers: Layers): Objection | undefined {
  const to = target.kind === "file" ? folderPlace(target.path, layers) : undefined;
  if (to === undefined || to.source !== from.source) return undefined;
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
