import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { readExamples } from "../../tools/packages/readme-examples.ts";

/**
 * Programs of other frameworks' guides for the same tasks, each with its lines that are neither blank nor a comment:
 * Mastra's pages "Control flow" and "Human in the loop", and VoltAgent's pages "andLoop", "andForEach", "andSleep" and
 * "Suspend & resume", in 2026.
 */
const others = {
  "workflow-parallel.ts": { of: "Mastra, output of parallel steps", lines: 39 },
  "workflow-branch.ts": { of: "Mastra, output of a branch", lines: 47 },
  "workflow-each.ts": { of: "VoltAgent, andForEach", lines: 12 },
  "workflow-total.ts": { of: "Mastra, results of foreach", lines: 24 },
  "workflow-repeat.ts": { of: "VoltAgent, andDoUntil", lines: 13 },
  "workflow-pause.ts": { of: "VoltAgent, andSleep", lines: 14 },
  "workflow-approval.ts": { of: "VoltAgent, an order that waits for approval", lines: 59 },
  "workflow-game.ts": { of: "Mastra, a game in turns", lines: 80 },
};

const programs = readExamples(readFileSync(new URL("../../docs/guide/workflow-examples.md", import.meta.url), "utf8"));

function codeLines(code: string): number {
  return code.split("\n").filter((line) => line.trim() !== "" && !line.trim().startsWith("//")).length;
}

it("the workflows of the guide are no longer than the programs of other guides for the same tasks", () => {
  expect(programs.map(({ file = "" }) => file.split("/").at(-1))).toEqual(Object.keys(others));
  for (const [index, [file, { lines }]] of Object.entries(others).entries()) {
    expect(codeLines(programs[index]?.code ?? ""), file).toBeLessThanOrEqual(lines);
  }
});
