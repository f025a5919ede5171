import { Visitor } from "oxc-parser";
import type { ParseResult } from "oxc-parser";
import { partsInUnit, sameUnit } from "./expressions.ts";
import type { Node } from "./expressions.ts";

/** Matches source text that may contain a time. */
export const mayHaveTimes =
  /Ms\b|Seconds\b|Minutes\b|Hours\b|Days\b|timeout|delay|interval|duration|elapsed|deadline|ttl/i;

const units = /(Ms|Seconds|Minutes|Hours|Days)$/;

/** Matches a name that says it is a time, but not its unit. */
const withoutUnit =
  /^#?(\w*(Timeout|Delay|Interval|Duration|Elapsed|Deadline|Ttl)|timeout|delay|interval|duration|elapsed|deadline|ttl)$/;

/**
 * Finds places where times of two units meet without a conversion. Also finds variables, parameters and fields that
 * store a time as a number without naming its unit. Returns offsets.
 */
export function timeUnits({ program }: Pick<ParseResult, "program">): number[] {
  const found: number[] = [];
  const check = (start: number, one: unknown, other: unknown): void => {
    const [unit, otherUnit] = [unitOf(one), unitOf(other)];
    if (unit !== undefined && otherUnit !== undefined && unit !== otherUnit) found.push(start);
  };
  const checkName = (name: unknown, value: unknown): void => {
    const node = name as Node;
    if (withoutUnit.test(String(node["name"])) && (isNumber(value) || hasNumberType(node))) found.push(node.start);
  };
  new Visitor({
    BinaryExpression({ operator, left, right, start }) {
      if (sameUnit.has(operator)) check(start, left, right);
    },
    AssignmentExpression: ({ left, right, start }) => check(start, left, right),
    VariableDeclarator({ id, init, start }) {
      check(start, id, init);
      checkName(id, init);
    },
    Property({ key, value, start }) {
      // In a pattern, a shorthand or a default adds no new name.
      check(start, key, value);
    },
    PropertyDefinition({ key, value, typeAnnotation, start }) {
      check(start, key, value);
      checkName({ ...key, typeAnnotation }, value);
    },
    AssignmentPattern: ({ left, right, start }) => check(start, left, right),
    FunctionDeclaration: ({ params }) => checkParameters(params),
    FunctionExpression: ({ params }) => checkParameters(params),
    ArrowFunctionExpression: ({ params }) => checkParameters(params),
  }).visit(program);
  return found;

  function checkParameters(params: unknown): void {
    const items = ((params as Node)["items"] ?? params) as readonly unknown[];
    for (const each of items) checkName(each, undefined);
  }
}

/** Returns the unit in an expression's name. A product or quotient has another unit. */
function unitOf(value: unknown): string | undefined {
  const node = value as Node | null | undefined;
  if (node === null || node === undefined || node["computed"] === true) return undefined;
  if (node.type.endsWith("Identifier")) return units.exec(String(node["name"]))?.[1];
  const parts = node.type === "MemberExpression" ? [node["property"]] : partsInUnit(node);
  return parts.map(unitOf).find((unit) => unit !== undefined);
}

/** Returns true if an expression is certainly a number: a literal, arithmetic, or a reading of the clock. */
function isNumber(value: unknown): boolean {
  const node = value as Node | null | undefined;
  if (node?.type === "Literal") return typeof node["value"] === "number";
  return node?.type === "BinaryExpression" && /^[-+*/]$/.test(String(node["operator"]));
}

function hasNumberType({ typeAnnotation }: Node): boolean {
  const annotation = (typeAnnotation as Node | null | undefined)?.["typeAnnotation"] as Node | undefined;
  if (annotation?.type === "TSNumberKeyword") return true;
  const types = (annotation?.["types"] ?? []) as readonly Node[];
  return types.some(({ type }) => type === "TSNumberKeyword");
}
