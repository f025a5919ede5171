import type { Layers } from "../../layers.mjs";
import type { Breach } from "./breach.ts";
import type { ParsedFile } from "./parse-source.ts";
import type { Manifest } from "./workspace.ts";

/** What a rule knows beside the file it judges. */
interface House {
  readonly layers: Layers;
  readonly manifests: readonly Manifest[];
}

/** Finds the breaches of one kind in one file. */
export type Rule = (file: ParsedFile, house: House) => Iterable<Breach>;
