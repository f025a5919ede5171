import { textAt } from "./mutator.ts";
import type { Change, Mutator } from "./mutator.ts";
import { asNode, listOf } from "./walk.ts";
import type { Node } from "./walk.ts";

/** Ends a loop, or its whole function, where it would go on with the next member. */
export const leaveLoop: Mutator = (node) => {
  const change = (text: string): Change => ({ kind: "jump", at: node, text });
  return asNode(node["label"]) === undefined ? [change("break;"), change("return;")] : [];
};

/** Exchanges a field and a spread beside it, so that the other one wins if both have the field. */
export const swapSpreads: Mutator = (node, source) =>
  swapNeighbours(listOf(node["properties"]), source, {
    kind: "spread",
    isPair: (first, second) =>
      [first, second].some(isSpread) && [first, second].some(({ type }) => type === "Property"),
  });

/** Exchanges a statement that waits and its neighbour. */
export const swapStatements: Mutator = (node, source) =>
  swapNeighbours(listOf(node["body"]), source, {
    kind: "sequence",
    isPair: (first, second) => [first, second].every(isPlain) && [first, second].some((each) => waits(each, source)),
  });

/** Uses a default for null and undefined alone, where an empty string, 0 or false has had it too. */
export const keepEmpty: Mutator = (node, source, parent) => {
  const [left, right] = [asNode(node["left"]), asNode(node["right"])];
  if (left === undefined || right === undefined || node["operator"] !== "||" || isCondition(parent)) return [];
  return [{ kind: "empty", at: node, text: `${textAt(source, left)} ?? ${textAt(source, right)}` }];
};

/** Makes a pattern refuse a hyphen or a dot that it has accepted, or tell upper and lower case apart. */
export const narrowPattern: Mutator = (node, source) => {
  const text = textAt(source, node);
  if (asNode(node) === undefined || !("regex" in node)) return [];
  const change = (pattern: string): Change[] =>
    pattern === text ? [] : [{ kind: "pattern", at: node, text: pattern }];
  const end = text.lastIndexOf("/");
  return [
    ...change(text.replace(/(\[[^\]]*[^\]\\[^])-\]/, "$1]")),
    ...change(text.replace(/(\[(?:[^\]\\]|\\.)+)\.(?=[^\]]*\])/, "$1")),
    ...change(text.slice(0, end) + text.slice(end).replace("i", "")),
  ];
};

type Pairs = { readonly kind: string; readonly isPair: (first: Node, second: Node) => boolean };

function swapNeighbours(nodes: readonly Node[], source: string, { kind, isPair }: Pairs): Change[] {
  return nodes.slice(1).flatMap((second, index) => {
    const first = nodes[index];
    if (first === undefined || !isPair(first, second)) return [];
    const text = textAt(source, second) + source.slice(first.end, second.start) + textAt(source, first);
    return [{ kind, at: { start: first.start, end: second.end }, text }];
  });
}

/** Returns true for a spread of a whole object: a spread of conditional fields seldom has a field of its neighbour. */
function isSpread({ type, argument }: Node): boolean {
  return (
    type === "SpreadElement" && /^(Identifier|MemberExpression|CallExpression)$/.test(asNode(argument)?.type ?? "")
  );
}

function isPlain({ type }: Node): boolean {
  return type === "ExpressionStatement" || type === "VariableDeclaration" || type === "IfStatement";
}

function waits(node: Node, source: string): boolean {
  return /\bawait\b/.test(textAt(source, node));
}

function isCondition(parent: Node | undefined): boolean {
  return /^(If|While|Do|For)Statement$|^(Logical|Unary|Conditional)Expression$/.test(parent?.type ?? "");
}
