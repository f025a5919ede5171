import { Visitor } from "oxc-parser";
import type { ParseResult } from "oxc-parser";
import type { Node } from "./expressions.ts";

/** Matches source text that may start a timer or a listener. */
export const mayLeaveTimer = /\b(setTimeout|setInterval|addEventListener)\(/;

/** Methods that return the object on which they are called. */
const passesOn = new Set(["unref", "ref"]);

/**
 * Finds timers and listeners that nothing in their file can end. Returns offsets. These are timers whose handle is
 * dropped or stored under a name that is never cleared, and listeners that are never removed.
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

/** Returns true if a source text clears a timer with this name; without a name, any timer. */
function isCleared(name: string | undefined, text: string): boolean {
  if (name === undefined) return false;
  const calls = text.split(/\bclear(?:Timeout|Interval)\(/).slice(1);
  // A timer in a collection is cleared under another name.
  const collecting = text.match(/\.(?:set|add|push)\([^()]*\)/g) ?? [];
  const isCollected = collecting.some((call) => name !== "" && call.split(/[(), ]+/).includes(name));
  return calls.some((given) => given.startsWith(name) || isCollected);
}

/** Returns true if a listener ends with a signal, or is removed somewhere in its file. */
function isRemoved(call: Node, text: string): boolean {
  const [event, listener, options] = call["arguments"] as (Node | undefined)[];
  if (event === undefined || listener === undefined) return false;
  if (options !== undefined && /\bsignal\b/.test(textOf(options, text))) return true;
  return text.includes(`removeEventListener(${textOf(event, text)}, ${textOf(listener, text)}`);
}

/** Returns the timer call inside an expression whose value is the timer's handle. */
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
