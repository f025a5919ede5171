import { Visitor } from "oxc-parser";
import type { ParseResult } from "oxc-parser";
import type { Node } from "./expressions.ts";

/** Matches a text that may cut a text. */
export const mayCutText = /\b(slice|substring)\(/;

/** The name of a bound on a text's length. Bounds on lists are named for their members: `maxParts`. */
const textBound = /^(longest\w*|max\w*(Length|Text|Characters))$/;

/** Finds places where a text is cut to a length as it is, as offsets: half of an emoji may stand at the end. */
export function textCuts({ program }: Pick<ParseResult, "program">): number[] {
  const found: number[] = [];
  new Visitor({
    CallExpression({ callee, arguments: given, start }) {
      if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return;
      const [, end] = given;
      if (/^(slice|substring)$/.test(callee.property.name) && end !== undefined && namesBound(end)) found.push(start);
    },
  }).visit(program);
  return found;
}

function namesBound(value: unknown): boolean {
  const node = value as Node;
  if (node.type === "Identifier") return textBound.test(String(node["name"]));
  if (node.type === "MemberExpression") return namesBound(node["property"]);
  return node.type === "BinaryExpression" && (namesBound(node["left"]) || namesBound(node["right"]));
}
