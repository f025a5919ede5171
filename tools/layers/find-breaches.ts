import type { Layers } from "../../layers.mjs";
import type { Breach } from "./breach.ts";
import { findCycles } from "./find-cycles.ts";
import { parseSource } from "./parse-source.ts";
import type { Rule } from "./rule.ts";
import { barrels } from "./rules/barrels.ts";
import { coreFloors } from "./rules/core-floors.ts";
import { coreFolders } from "./rules/core-folders.ts";
import { declared } from "./rules/declared.ts";
import { documented } from "./rules/documented.ts";
import { environment } from "./rules/environment.ts";
import { ownFiles } from "./rules/own-files.ts";
import { packageEdges } from "./rules/package-edges.ts";
import { readable } from "./rules/readable.ts";
import type { Workspace } from "./workspace.ts";

const rules: readonly Rule[] = [
  readable,
  coreFolders,
  coreFloors,
  barrels,
  ownFiles,
  packageEdges,
  declared,
  documented,
  environment,
];

/** Judges every file by the architecture that `layers` describes. */
export function findBreaches({ files, manifests }: Workspace, layers: Layers): Breach[] {
  const house = { layers, manifests };
  const parsed = files.map(parseSource);
  const ofFiles = parsed.flatMap((file) => rules.flatMap((rule) => [...rule(file, house)]));
  return [...ofFiles, ...findCycles(parsed)];
}
