import type { Layers } from "../../layers.mjs";
import type { ParsedFile } from "./parse-source.ts";
import type { Manifest } from "./workspace.ts";

/** One place where the code leaves the architecture, with a sentence that says how to mend it. */
export interface Violation {
  readonly file: string;
  readonly line: number;
  readonly rule: string;
  readonly message: string;
}

/** What a rule knows beside the file it judges. */
interface Context {
  readonly layers: Layers;
  readonly manifests: readonly Manifest[];
}

/** Finds the violations of one kind in one file. */
export type Rule = (file: ParsedFile, context: Context) => Iterable<Violation>;
