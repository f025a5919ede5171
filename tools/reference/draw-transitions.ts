import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** A row of the table of transitions. */
type Transition = { from: readonly string[]; to: string; writes: readonly string[]; why: string };

const states = join(import.meta.dirname, "../../packages/core/src/runs/record");
const { transitions } = (await import(pathToFileURL(join(states, "run-writes.ts")).href)) as {
  transitions: Record<string, Transition>;
};

const path = "docs/durable-run-states.md";
const [begin, end] = ["<!-- transitions -->", "<!-- /transitions -->"];

/** Returns the table of the transitions of durable runs as Markdown. */
function drawTransitions(): string {
  const rows = Object.entries(transitions).map(([name, { from, to, writes, why }]) => {
    return `| \`${name}\` | ${from.join(", ")} | ${to} | ${writes.join(" → ")} | ${why} |`;
  });
  return ["| Transition | From | To | Writes, in order | Why |", "| --- | --- | --- | --- | --- |", ...rows].join("\n");
}

/** Returns the page on the states of a durable run with the table as the code has it. */
export function statesPage(root: string): { path: string; text: string } {
  const text = readFileSync(join(root, path), "utf8");
  const [before = "", rest = ""] = text.split(begin);
  const [, after = ""] = rest.split(end);
  return { path, text: `${before}${begin}\n\n${drawTransitions()}\n\n${end}${after}` };
}
