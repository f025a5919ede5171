import type { Layers } from "./layers.ts";
import { findCycles } from "./find-cycles.ts";
import { parseSource } from "./parse-source.ts";
import type { Rule, Violation } from "./rule.ts";
import { barrels } from "./rules/barrels.ts";
import { declared } from "./rules/declared.ts";
import { cuts } from "./rules/cuts.ts";
import { documented } from "./rules/documented.ts";
import { environment } from "./rules/environment.ts";
import { lines } from "./rules/lines.ts";
import { folderLayers } from "./rules/folder-layers.ts";
import { ownFiles } from "./rules/own-files.ts";
import { packageEdges } from "./rules/package-edges.ts";
import { readable } from "./rules/readable.ts";
import type { Workspace } from "./workspace.ts";

const rules: readonly Rule[] = [
  readable,
  folderLayers,
  barrels,
  ownFiles,
  packageEdges,
  declared,
  documented,
  environment,
  lines,
  cuts,
];

/** Checks every file against the architecture that `layers` describes. */
export function findViolations({ files, manifests }: Workspace, layers: Layers): Violation[] {
  const context = { layers, manifests };
  const parsed = files.map(parseSource);
  const inFiles = parsed.flatMap((file) => rules.flatMap((rule) => [...rule(file, context)]));
  return [...inFiles, ...findCycles(parsed)];
}
