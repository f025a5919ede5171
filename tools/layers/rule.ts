import type { Layers } from "./layers.ts";
import type { ParsedFile } from "./parse-source.ts";
import type { Manifest } from "./workspace.ts";

/** A place in the code that violates the architecture, with a sentence of advice. */
export interface Violation {
  readonly file: string;
  readonly line: number;
  readonly rule: string;
  readonly message: string;
}

/** The context of a rule: everything but the file to check. */
interface Context {
  readonly layers: Layers;
  readonly manifests: readonly Manifest[];
}

/** Finds the violations of one kind in one file. */
export type Rule = (file: ParsedFile, context: Context) => Iterable<Violation>;
