import { parseSync } from "oxc-parser";

/** A node of a syntax tree, whatever its type. */
export type Node = { readonly type: string; readonly start: number; readonly end: number } & Record<string, unknown>;

/** An executed node, with its parent and the name of the enclosing function in V8's form. */
export type Visited = { readonly node: Node; readonly parent: Node | undefined; readonly within: string | undefined };

/** Node types of TypeScript that contain an executed expression; all other TypeScript nodes are erased. */
const wrappers = new Set(["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"]);

/** Returns a value as a node, or undefined if it is not a node. */
export function asNode(value: unknown): Node | undefined {
  return typeof value === "object" && value !== null && "type" in value ? (value as Node) : undefined;
}

/** Returns the nodes of an array; an empty array for any other value. */
export function listOf(value: unknown): Node[] {
  return Array.isArray(value) ? value.flatMap((each) => asNode(each) ?? []) : [];
}

/** Yields every executed node of a source, without types and imports. Yields none for a source with a syntax error. */
export function* executedNodes(path: string, source: string): Generator<Visited> {
  const { program, errors } = parseSync(path, source);
  if (errors.length === 0) yield* walk({ node: program as unknown as Node, parent: undefined, within: undefined });
}

function* walk(visited: Visited): Generator<Visited> {
  const { node, parent } = visited;
  if (isErased(node)) return;
  yield visited;
  const within = nameOf(node, parent) ?? visited.within;
  for (const child of Object.values(node).flatMap((value) => asNode(value) ?? listOf(value))) {
    yield* walk({ node: child, parent: node, within });
  }
}

function isErased({ type, source }: Node): boolean {
  if (type.startsWith("TS")) return !wrappers.has(type);
  return type === "ImportDeclaration" || (type.startsWith("Export") && asNode(source) !== undefined);
}

/**
 * Returns the name by which V8 reports a function. A function without a name counts as part of the enclosing function.
 */
function nameOf(node: Node, parent: Node | undefined): string | undefined {
  if (node.type === "FunctionDeclaration") return keyName(node["id"]);
  if (node.type !== "ArrowFunctionExpression" && node.type !== "FunctionExpression") return undefined;
  const name = keyName(parent?.["id"] ?? parent?.["key"]);
  // V8 reports a constructor under the name of its class.
  return name === "constructor" ? undefined : name;
}

function keyName(key: unknown): string | undefined {
  const node = asNode(key);
  if (node?.type === "PrivateIdentifier") return `#${String(node["name"])}`;
  return node?.type === "Identifier" ? String(node["name"]) : undefined;
}
