/** A node of a syntax tree, with the fields that rules read. */
export type Node = { readonly type: string; readonly start: number; readonly end: number } & Record<string, unknown>;

/** Operators of arithmetic and comparison whose two sides must have the same unit. */
export const sameUnit: ReadonlySet<string> = new Set(["<", ">", "<=", ">=", "===", "!==", "+", "-"]);

/** The parts of each kind of expression that decide its value. */
const parts: Readonly<Record<string, readonly string[]>> = {
  BinaryExpression: ["left", "right"],
  LogicalExpression: ["left", "right"],
  ConditionalExpression: ["consequent", "alternate"],
  ParenthesizedExpression: ["expression"],
};

/** Returns the parts of an expression that have its unit. A product or quotient has another unit. */
export function partsInUnit(node: Node): unknown[] {
  if (node.type === "BinaryExpression" && !sameUnit.has(String(node["operator"]))) return [];
  return (parts[node.type] ?? []).map((part) => node[part]);
}
