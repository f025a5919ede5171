import { createHash } from "node:crypto";
import { applyMutation, isSound, mutationsOf } from "./mutations.ts";
import type { Mutation } from "./mutations.ts";

/** A source file, and the lines that may be mutated if not all. */
export type Source = {
  readonly file: string;
  readonly text: string;
  readonly lines?: ReadonlySet<number> | undefined;
};

/** A mutation of a file, with its line, a description, and the mutated text of the file. */
export type Mutant = {
  readonly file: string;
  readonly line: number;
  readonly description: string;
  readonly text: string;
  /** The name of the enclosing function. */
  readonly within: string | undefined;
};

type Candidate = { readonly source: Source; readonly line: number; readonly mutation: Mutation };

/** The seed of a draw, and a pattern of the kinds of mutations to draw from. */
export type DrawOptions = { readonly seed: string; readonly kinds?: string | undefined };

/** Draws mutants without repetition, always the same for the same sources and options. */
export function draw(
  sources: readonly Source[],
  count: number,
  { seed, kinds = "" }: DrawOptions,
): { drawn: Mutant[]; total: number } {
  const isWanted = new RegExp(`^(?:${kinds})`);
  const candidates = sources.flatMap(candidatesOf).filter(({ mutation }) => isWanted.test(mutation.kind));
  const ordered = candidates
    .map((candidate) => ({ candidate, place: placeOf(candidate, seed) }))
    .toSorted((one, other) => (one.place < other.place ? -1 : 1));
  const drawn: Mutant[] = [];
  for (const { candidate } of ordered) {
    if (drawn.length === count) break;
    const { source, mutation } = candidate;
    if (isSound(source.file, source.text, mutation)) drawn.push(toMutant(candidate));
  }
  return { drawn, total: candidates.length };
}

function candidatesOf(source: Source): Candidate[] {
  return mutationsOf(source.file, source.text)
    .map((mutation) => ({ source, mutation, line: source.text.slice(0, mutation.start).split("\n").length }))
    .filter(({ line }) => source.lines?.has(line) ?? true);
}

function placeOf({ source, line, mutation }: Candidate, seed: string): string {
  const parts = [seed, source.file, line, mutation.kind, describe(source.text, mutation)];
  return createHash("sha256").update(parts.join("\0")).digest("hex");
}

function toMutant({ source: { file, text }, line, mutation }: Candidate): Mutant {
  const description = describe(text, mutation);
  return { file, line, description, text: applyMutation(text, mutation), within: mutation.within };
}

function describe(source: string, { kind, start, end, text }: Mutation): string {
  const short = (piece: string): string => piece.replaceAll(/\s+/g, " ").trim().slice(0, 90);
  return `${kind}: ${short(source.slice(start, end))} → ${short(text) || "(nothing)"}`;
}
