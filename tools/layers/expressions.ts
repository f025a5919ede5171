/** A node of a syntax tree, as far as rules look at it. */
export type Node = { readonly type: string; readonly start: number; readonly end: number } & Record<string, unknown>;

/** Arithmetic and comparisons, in which both sides are of one unit. */
export const sameUnit: ReadonlySet<string> = new Set(["<", ">", "<=", ">=", "===", "!==", "+", "-"]);

/** The parts of an expression of which its value is made, or one of which it is. */
const parts: Readonly<Record<string, readonly string[]>> = {
  BinaryExpression: ["left", "right"],
  LogicalExpression: ["left", "right"],
  ConditionalExpression: ["consequent", "alternate"],
  ParenthesizedExpression: ["expression"],
};

/** Returns the parts of an expression that are in its unit. A product or quotient is of another one. */
export function partsInUnit(node: Node): unknown[] {
  if (node.type === "BinaryExpression" && !sameUnit.has(String(node["operator"]))) return [];
  return (parts[node.type] ?? []).map((part) => node[part]);
}
