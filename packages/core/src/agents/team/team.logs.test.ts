import { expect, it } from "vitest";
import { Agent } from "../agent/agent.ts";
import { createLogger } from "../../base/log/logger.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Team } from "./team.ts";
import type { TeamConfig } from "./team-config.ts";

type Line = Record<string, unknown>;

function teamWith(config: Partial<TeamConfig>) {
  const lines: Line[] = [];
  const logger = createLogger({ level: "info", write: (line) => lines.push(JSON.parse(line) as Line) });
  const members = ["one", "two"].map((name) => new Agent({ name, model: new ScriptedModel().respond(() => "Yes.") }));
  const model = new ScriptedModel().respond(() => "All say yes.");
  return { lines, logger, config: { name: "desk", mode: "broadcast", model, members, ...config } as const };
}

it("a team's logger gets a line for the team's run and one for each member without a log [log.child-runs]", async () => {
  const { lines, logger, config } = teamWith({});
  const { runId } = await new Team({ ...config, logger }).run("Agreed?");

  expect(lines.map(({ prefix, name, parentRunId }) => [prefix, name, parentRunId])).toEqual([
    ["desk:one", "one", runId],
    ["desk:two", "two", runId],
    ["desk", "desk", undefined],
  ]);
});

it("a team within a team passes the log on to the members of both", async () => {
  const { lines, logger, config } = teamWith({});
  const inner = new Team({ ...config, name: "inner" });
  await new Team({ ...config, members: [inner], logger }).run("Agreed?");

  expect(lines.map(({ prefix }) => prefix)).toEqual(["desk:inner:one", "desk:inner:two", "desk:inner", "desk"]);
});

it("a team refuses a logger beside a logLevel, and a logger without the methods [log.option-checks]", () => {
  const { logger, config } = teamWith({});

  expect(() => new Team({ ...config, logger, logLevel: "info" })).toThrow("logLevel must be left out beside logger.");
  expect(() => new Team({ ...config, logger: {} as never })).toThrow("logger must be a logger such as");
});
