import { expect, it } from "vitest";
import { Agent } from "../agent/agent.ts";
import type { RunEvents } from "../run/run-events.ts";
import { createLogger } from "../../base/log/logger.ts";
import { UserMemory } from "../memory/user-memory.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Workflow } from "./workflow.ts";

type Line = Record<string, unknown>;

function logTo() {
  const lines: Line[] = [];
  return { lines, logger: createLogger({ level: "info", write: (line) => lines.push(JSON.parse(line) as Line) }) };
}

it("a workflow's logger gets the lines of its functions, of its agents and of its run [log.child-runs] [log.run-line]", async () => {
  const { lines, logger } = logTo();
  const agent = new Agent({ name: "writer", model: new ScriptedModel("A.", "B.") });
  const flow = new Workflow({
    name: "flow",
    initialState: {},
    steps: [
      { name: "count", run: (_state, context) => context.logger.info("Counted.") },
      { name: "first", agent },
      { name: "second", agent },
    ],
    logger,
  });
  const { runId } = await flow.run();

  expect(lines.map(({ prefix, message, step }) => [prefix, message, step])).toEqual([
    ["flow", "Counted.", "count"],
    ["flow:writer", "The run completed.", "first"],
    ["flow:writer", "The run completed.", "second"],
    ["flow", "The run completed.", undefined],
  ]);
  expect(lines.map((line) => line["runId"] === runId)).toEqual([true, false, false, true]);
});

it("a workflow's bus gets the warnings of its agents, the second too [run.warning]", async () => {
  const told: RunEvents["run.warning"][] = [];
  const userMemory = new UserMemory({ model: new ScriptedModel("no JSON", "no JSON") });
  const agent = new Agent({ name: "writer", model: new ScriptedModel("A.", "B."), userMemory });
  const flow = new Workflow({
    name: "flow",
    initialState: {},
    steps: [
      { name: "first", agent },
      { name: "second", agent },
    ],
  });
  flow.eventBus.on("run.warning", (warning) => told.push(warning));
  const { runId } = await flow.run({ userId: "ada", input: "I am Ada." });
  await userMemory.flush();

  expect(told.map(({ code }) => code)).toEqual(["facts_unreadable", "facts_unreadable"]);
  expect(told.every((warning) => warning.runId !== runId)).toBe(true);
});

it("a workflow refuses a logger beside a logLevel [log.option-checks]", () => {
  const { logger } = logTo();

  expect(() => new Workflow({ name: "f", initialState: {}, steps: [], logger, logLevel: "info" })).toThrow(
    "logLevel must be left out beside logger.",
  );
});
