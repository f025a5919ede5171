import type { Node } from "./walk.ts";

/** A range of offsets in a source. */
export type Span = { readonly start: number; readonly end: number };

/** A replacement of a range in a source by another text. */
export type Change = { readonly kind: string; readonly at: Span; readonly text: string };

/** Returns small mistakes that a developer could make at a node. */
export type Mutator = (node: Node, source: string, parent: Node | undefined) => readonly Change[];

/** Returns the text in a range. */
export function textAt(source: string, { start, end }: Span): string {
  return source.slice(start, end);
}

/** Removes each of some members of a list, with its comma. */
export function dropMembers(members: readonly Node[], source: string): Change[] {
  return members.map(({ start, end }) => {
    const after = /^\s*,/.exec(source.slice(end))?.[0].length ?? 0;
    const before = after > 0 ? 0 : (/,\s*$/.exec(source.slice(0, start))?.[0].length ?? 0);
    return { kind: "member", at: { start: start - before, end: end + after }, text: "" };
  });
}
