import { Visitor } from "oxc-parser";
import type { ParseResult } from "oxc-parser";
import type { Node } from "./expressions.ts";

/** Matches a text that may begin something which goes on by itself. */
export const mayLeaveTimer = /\b(setTimeout|setInterval|addEventListener)\(/;

/** Calls of a result that return it. */
const passesOn = new Set(["unref", "ref"]);

/**
 * Finds timers and listeners that nothing in their file can end, as offsets: a timer whose handle is thrown away, or kept under a
 * name that is never cleared, and a listener that is never removed.
 */
export function leftTimers({ program }: Pick<ParseResult, "program">, text: string): number[] {
  const begun: Node[] = [];
  const names = new Map<number, string>();
  const keep = (value: unknown, name: string): void => {
    const call = unwrap(value);
    if (call !== undefined) names.set(call.start, name);
  };
  new Visitor({
    CallExpression(call) {
      const node = call as unknown as Node;
      if (isTimer(node)) begun.push(node);
      if (isListener(node) && !isRemoved(node, text)) begun.push(node);
    },
    VariableDeclarator: ({ id, init }) => keep(init, textOf(id, text)),
    PropertyDefinition: ({ key, value }) => keep(value, `this.${textOf(key, text)}`),
    AssignmentExpression: ({ left, right }) => keep(right, textOf(left, text)),
    Property: ({ value }) => keep(value, ""),
    ArrayExpression({ elements }) {
      for (const element of elements) keep(element, "");
    },
    ReturnStatement: ({ argument }) => keep(argument, ""),
  }).visit(program);
  return begun.map(({ start }) => start).filter((start) => !isCleared(names.get(start), text));
}

/** Tells if a text clears a timer of this name, or, for one without a name, any timer. */
function isCleared(name: string | undefined, text: string): boolean {
  if (name === undefined) return false;
  const calls = text.split(/\bclear(?:Timeout|Interval)\(/).slice(1);
  // A timer in a collection is cleared under another name.
  const collecting = text.match(/\.(?:set|add|push)\([^()]*\)/g) ?? [];
  const isCollected = collecting.some((call) => name !== "" && call.split(/[(), ]+/).includes(name));
  return calls.some((given) => given.startsWith(name) || isCollected);
}

/** Tells if a listener ends with a signal, or is removed somewhere in its file. */
function isRemoved(call: Node, text: string): boolean {
  const [event, listener, options] = call["arguments"] as (Node | undefined)[];
  if (event === undefined || listener === undefined) return false;
  if (options !== undefined && /\bsignal\b/.test(textOf(options, text))) return true;
  return text.includes(`removeEventListener(${textOf(event, text)}, ${textOf(listener, text)}`);
}

/** Returns the call of a timer within an expression that has its handle as value. */
function unwrap(value: unknown): Node | undefined {
  const node = value as Node | null | undefined;
  if (node?.type !== "CallExpression") return undefined;
  if (isTimer(node)) return node;
  const callee = node["callee"] as Node;
  return passesOn.has(nameOf(callee) ?? "") ? unwrap(callee["object"]) : undefined;
}

function isTimer({ callee }: Node): boolean {
  return /^set(Timeout|Interval)$/.test(nameOf(callee as Node) ?? "");
}

function isListener({ callee }: Node): boolean {
  return (callee as Node).type === "MemberExpression" && nameOf(callee as Node) === "addEventListener";
}

function nameOf(node: Node): string | undefined {
  if (node.type === "Identifier") return String(node["name"]);
  return node.type === "MemberExpression" ? nameOf(node["property"] as Node) : undefined;
}

function textOf({ start, end }: { readonly start: number; readonly end: number }, text: string): string {
  return text.slice(start, end);
}
