import { Visitor } from "oxc-parser";
import type { Expression, ParseResult } from "oxc-parser";

/** The parts of an owner that must not be used one without the other. */
const names = new Set(["userId", "tenantId"]);

/** Names of variables that are owners, or contain the parts of an owner. */
const owners = new Set(["owner", "principal", "caller", "user"]);

/** Matches source text that may use a part of an owner. */
export const mayNameOwner = /\b(userId|tenantId)\b|stringify\(/;

/** Functions and methods that look up their arguments, or make a key of them. */
const lookups = new Set(["get", "has", "set", "add", "delete", "hash", "update", "encodeKey", "encodeURIComponent"]);

type Node = Expression | { readonly type: string };

/**
 * Finds places where a single part of an owner is compared, hashed or used as a key. Returns offsets. Checking whether
 * the part exists is allowed.
 */
export function ownerNames({ program }: Pick<ParseResult, "program">): number[] {
  const found: number[] = [];
  const note = (start: number, parts: readonly (Node | null | undefined)[]): void => {
    if (parts.some((part) => part !== null && part !== undefined && isPart(part))) found.push(start);
  };
  new Visitor({
    BinaryExpression({ operator, left, right, start }) {
      if (operator === "+") note(start, [left, right]);
      if (/^[!=]==?$/.test(operator) && !isLiteral(left) && !isLiteral(right)) note(start, [left, right]);
    },
    TemplateLiteral: ({ expressions, start }) => note(start, expressions),
    ArrayExpression: ({ elements, start }) => note(start, elements),
    MemberExpression({ computed, property, start }) {
      if (computed) note(start, [property]);
    },
    CallExpression({ callee, arguments: given, start }) {
      const name = lastName(callee) ?? "";
      if (lookups.has(name)) note(start, given);
      if (name === "stringify" && given[0] !== undefined && isOwner(given[0])) found.push(start);
    },
  }).visit(program);
  return found;
}

/** Returns true if an expression is a part of an owner, also with a default or inside a call that converts it. */
function isPart(node: Node): boolean {
  const expression = node as Expression;
  if (expression.type === "LogicalExpression") return isPart(expression.left) || isPart(expression.right);
  if (expression.type === "TSNonNullExpression" || expression.type === "TSAsExpression") {
    return isPart(expression.expression);
  }
  return names.has(lastName(expression) ?? "");
}

/** Returns true if an expression is an owner, or an object made of an owner's parts. */
function isOwner(node: Node): boolean {
  const expression = node as Expression;
  if (expression.type !== "ObjectExpression") return owners.has(lastName(expression) ?? "");
  return expression.properties.some((each) => each.type === "Property" && names.has(lastName(each.key) ?? ""));
}

function isLiteral(node: Node): boolean {
  const expression = node as Expression;
  return expression.type === "Literal" || (expression.type === "Identifier" && expression.name === "undefined");
}

function lastName(node: Node): string | undefined {
  const expression = node as Expression;
  if (expression.type === "Identifier") return expression.name;
  return expression.type === "MemberExpression" && !expression.computed ? lastName(expression.property) : undefined;
}
