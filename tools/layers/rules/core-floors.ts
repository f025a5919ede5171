import type { Layers } from "../../../layers.mjs";
import type { Breach } from "../breach.ts";
import type { Import } from "../parse-source.ts";
import type { Rule } from "../rule.ts";
import { isTest } from "../workspace.ts";
import { corePlace } from "./core-place.ts";
import type { CorePlace } from "./core-place.ts";

type Folder = Extract<CorePlace, { kind: "folder" }>;
type Objection = Pick<Breach, "rule" | "message">;

/** Inside core, imports point down: a folder knows the floors below it, and neither its neighbours nor the doors. */
export const coreFloors: Rule = function* ({ path, imports }, { layers }) {
  const from = corePlace(path, layers);
  if (from?.kind !== "folder") return;
  const mayUseTestKit = isTest(path);

  for (const each of imports) {
    const to = placeOf(each, layers);
    if (to?.kind === "folder" && to.folder === layers.testKit && mayUseTestKit) continue;
    const objection = throughDoor(to, each) ?? notDown(from, to);
    if (objection !== undefined) yield { file: path, line: each.line, ...objection };
  }
};

function placeOf({ target }: Import, layers: Layers): CorePlace | undefined {
  return target.kind === "file" ? corePlace(target.path, layers) : undefined;
}

function throughDoor(to: CorePlace | undefined, { specifier }: Import): Objection | undefined {
  if (to?.kind !== "top" || !to.isDoor) return undefined;
  return {
    rule: "door",
    message: `Nothing inside core goes through a door: name the file that declares what is needed instead of ${specifier}.`,
  };
}

function notDown(from: Folder, to: CorePlace | undefined): Objection | undefined {
  if (to?.kind !== "folder" || to.folder === from.folder || from.floor === -1 || to.floor < from.floor)
    return undefined;
  if (to.floor === from.floor) {
    return {
      rule: "sideways",
      message: `${from.folder} and ${to.folder} share a floor and do not know each other: move what both need to a floor below.`,
    };
  }
  return {
    rule: "upward",
    message: `${from.folder} stands below ${to.folder}: take what is needed as an argument, or move the shared part down.`,
  };
}
