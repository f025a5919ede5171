import { Visitor } from "oxc-parser";
import type { ParseResult } from "oxc-parser";
import type { Node } from "./expressions.ts";

/** Matches source text that may cut a text. */
export const mayCutText = /\b(slice|substring)\(/;

/** Matches the name of a limit on a text's length. Limits on arrays are named after their items: `maxParts`. */
const textBound = /^(longest\w*|max\w*(Length|Text|Characters))$/;

/** Finds places where a text is cut at a length, which may leave half an emoji at the end. Returns offsets. */
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
