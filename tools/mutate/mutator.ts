import type { Node } from "./walk.ts";

/** A place in a source. */
export type Span = { readonly start: number; readonly end: number };

/** Another text at a place of a source. */
export type Change = { readonly kind: string; readonly at: Span; readonly text: string };

/** Returns small mistakes that someone could make at a node. */
export type Mutator = (node: Node, source: string, parent: Node | undefined) => readonly Change[];

/** Returns the text at a place. */
export function textAt(source: string, { start, end }: Span): string {
  return source.slice(start, end);
}

/** Leaves out each of some members of a list, with a comma. */
export function dropMembers(members: readonly Node[], source: string): Change[] {
  return members.map(({ start, end }) => {
    const after = /^\s*,/.exec(source.slice(end))?.[0].length ?? 0;
    const before = after > 0 ? 0 : (/,\s*$/.exec(source.slice(0, start))?.[0].length ?? 0);
    return { kind: "member", at: { start: start - before, end: end + after }, text: "" };
  });
}
