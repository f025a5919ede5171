import { parseSync } from "oxc-parser";
import { callMutators } from "./call-mutators.ts";
import { dropMembers, textAt } from "./mutator.ts";
import type { Change, Mutator } from "./mutator.ts";
import { keepEmpty, leaveLoop, narrowPattern, swapSpreads, swapStatements } from "./order-mutators.ts";
import { asNode, executedNodes, listOf } from "./walk.ts";
import type { Node } from "./walk.ts";

/** A small change of a source, like a developer's mistake: `text` replaces the text from `start` to `end`. */
export type Mutation = {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** The name of the enclosing function. */
  readonly within: string | undefined;
};

/** Replacements for operators: a limit that is off by one, or an inverted condition. */
const otherOperators: Readonly<Record<string, string>> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "+": "-",
  "-": "+",
  "&&": "||",
  "||": "&&",
  "+=": "-=",
  "-=": "+=",
  "??=": "=",
};

/** Kinds of statements whose removal the types may not notice. */
const removable = /^(Expression|If|For|ForOf|ForIn|Throw|While|Break|Continue)Statement$/;

const swapOperator: Mutator = (node, source) => {
  const [operator, left] = [String(node["operator"]), asNode(node["left"])];
  const other = otherOperators[operator];
  if (other === undefined || left === undefined) return [];
  const start = source.indexOf(operator, left.end);
  return [{ kind: "operator", at: { start, end: start + operator.length }, text: other }];
};

const forceCondition: Mutator = (node) => {
  const test = asNode(node["test"]);
  if (test === undefined) return [];
  const force = (text: string): Change => ({ kind: "condition", at: test, text });
  return node.type === "IfStatement" ? [force("true"), force("false")] : [force("false")];
};

const removeStatements =
  (key: string): Mutator =>
  (node) =>
    listOf(node[key])
      .filter(({ type, directive }) => removable.test(type) && typeof directive !== "string")
      .map((statement) => ({ kind: "statement", at: statement, text: "" }));

const keepPart =
  (kind: string, ...keys: readonly string[]): Mutator =>
  (node, source) =>
    keys.flatMap((key) => {
      const part = asNode(node[key]);
      return part === undefined ? [] : [{ kind, at: node, text: textAt(source, part) }];
    });

const changeLiteral: Mutator = (node, _, parent) => {
  const { value } = node;
  const isKey = parent?.["key"] === node || parent?.type === "ExpressionStatement" || isLook(parent);
  if (typeof value === "number") return [{ kind: "number", at: node, text: String(value + 1) }];
  if (typeof value === "boolean") return [{ kind: "boolean", at: node, text: String(!value) }];
  // Texts for people contain spaces, and their words do not affect behaviour.
  return typeof value === "string" && !isKey && !value.includes(" ") ? [{ kind: "string", at: node, text: '"-"' }] : [];
};

/** Returns true for the class of an element, which affects only its look. */
function isLook(node: Node | undefined): boolean {
  return node?.type === "JSXAttribute" && asNode(node["name"])?.["name"] === "class";
}

/** Removes each attribute of an element: a listener, a label. */
const dropAttributes: Mutator = (node) =>
  listOf(node["attributes"])
    .filter((attribute) => !isLook(attribute))
    .map((attribute) => ({ kind: "attribute", at: attribute, text: "" }));

const countBackwards: Mutator = (node, source) => {
  const [operator, text] = [String(node["operator"]), textAt(source, node)];
  return [{ kind: "operator", at: node, text: text.replace(operator, operator === "++" ? "--" : "++") }];
};

const ofOperator =
  (operator: string, found: Mutator, otherwise: Mutator): Mutator =>
  (node, source, parent) =>
    (node["operator"] === operator ? found : otherwise)(node, source, parent);

const mutators: Readonly<Record<string, readonly Mutator[]>> = {
  ArrayExpression: [(node, source) => dropMembers(listOf(node["elements"]), source)],
  AssignmentExpression: [swapOperator],
  AwaitExpression: [keepPart("await", "argument")],
  BinaryExpression: [swapOperator],
  BlockStatement: [removeStatements("body"), swapStatements],
  CallExpression: callMutators,
  ConditionalExpression: [keepPart("branch", "consequent", "alternate")],
  ContinueStatement: [leaveLoop],
  IfStatement: [forceCondition],
  JSXOpeningElement: [dropAttributes],
  Literal: [changeLiteral, narrowPattern],
  LogicalExpression: [ofOperator("??", keepPart("default", "left"), swapOperator), keepEmpty],
  ObjectExpression: [(node, source) => dropMembers(listOf(node["properties"]), source), swapSpreads],
  SwitchCase: [removeStatements("consequent")],
  UnaryExpression: [ofOperator("!", keepPart("not", "argument"), () => [])],
  UpdateExpression: [countBackwards],
  WhileStatement: [forceCondition],
};

/** Returns the mutations of a source, in the order of their positions. Some may not parse: see `isSound`. */
export function mutationsOf(path: string, source: string): Mutation[] {
  const changesAt = (node: Node, parent: Node | undefined): Change[] =>
    (mutators[node.type] ?? []).flatMap((mutator) => mutator(node, source, parent));
  return [...executedNodes(path, source)]
    .flatMap(({ node, parent, within }) =>
      changesAt(node, parent).map(({ kind, at: { start, end }, text }) => ({ kind, start, end, text, within })),
    )
    .toSorted((one, other) => one.start - other.start);
}

/** Applies a mutation to a source and returns the result. */
export function applyMutation(source: string, { start, end, text }: Mutation): string {
  return source.slice(0, start) + text + source.slice(end);
}

/** Returns true if the mutated source can be parsed. */
export function isSound(path: string, source: string, mutation: Mutation): boolean {
  return parseSync(path, applyMutation(source, mutation)).errors.length === 0;
}
