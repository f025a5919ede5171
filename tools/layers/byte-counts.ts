import { Visitor } from "oxc-parser";
import type { ParseResult } from "oxc-parser";
import { partsInUnit, sameUnit } from "./expressions.ts";
import type { Node } from "./expressions.ts";

/** Matches source text that may use a length as a number of bytes. */
export const mayCountBytes = /bytes\b[\s\S]*\.length\b|\.length\b[\s\S]*bytes\b/i;

/**
 * Finds places where a `length` is compared with a number of bytes, added to it or stored as one. Returns offsets. The
 * length of a string counts UTF-16 units; binary data has a `byteLength`.
 */
export function byteCounts({ program }: Pick<ParseResult, "program">): number[] {
  const found: number[] = [];
  const check = (start: number, one: unknown, other: unknown): void => {
    if ((isBytes(one) && hasLength(other)) || (isBytes(other) && hasLength(one))) found.push(start);
  };
  new Visitor({
    BinaryExpression({ operator, left, right, start }) {
      if (sameUnit.has(operator)) check(start, left, right);
    },
    AssignmentExpression: ({ left, right, start }) => check(start, left, right),
    VariableDeclarator: ({ id, init, start }) => check(start, id, init),
    Property: ({ key, value, start }) => check(start, key, value),
    PropertyDefinition: ({ key, value, start }) => check(start, key, value),
    AssignmentPattern: ({ left, right, start }) => check(start, left, right),
  }).visit(program);
  return found;
}

/** Returns true if the name of a node says that it is a number of bytes. */
function isBytes(value: unknown): boolean {
  const node = value as Node | null;
  if (node === null || node === undefined) return false;
  if (node.type === "Identifier" || node.type === "PrivateIdentifier") return /bytes$/i.test(String(node["name"]));
  return node.type === "MemberExpression" && node["computed"] !== true && isBytes(node["property"]);
}

/** Returns true if the value of an expression is a length, or a sum or choice that contains a length. */
function hasLength(value: unknown): boolean {
  const node = value as Node | null;
  if (node?.type === "MemberExpression") return (node["property"] as Node)["name"] === "length";
  return node !== null && node !== undefined && partsInUnit(node).some(hasLength);
}
