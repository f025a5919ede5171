import { Agent, createLogger, Team } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { expect, it } from "vitest";
import { FakeNamespace } from "../test/fake-sockets.ts";
import { createAgentGateway } from "./create-agent-gateway.ts";

it("a gateway logs what its agents and teams warn of, and nothing after its end", async () => {
  const entries: unknown[] = [];
  const write = (line: string): void => {
    const { level, message, code, runId } = JSON.parse(line) as Record<string, unknown>;
    entries.push([level, message, code, runId]);
  };
  const logger = createLogger({ level: "warn", color: false, write });
  const model = new ScriptedModel();
  const agent = new Agent({ name: "a", model });
  const team = new Team({ name: "t", mode: "route", model, members: [agent] });
  const { io } = new FakeNamespace(async () => []);
  const gateway = createAgentGateway({ io, agents: { a: agent }, teams: { t: team }, logger });
  const warn = (from: Agent | Team, runId: string): void =>
    from.eventBus.emit("run.warning", { code: "title_not_made", message: "No title.", runId, sessionId: "s" });
  warn(agent, "r1");
  warn(team, "r2");

  const logged = [
    ["warn", "No title.", "title_not_made", "r1"],
    ["warn", "No title.", "title_not_made", "r2"],
  ];
  expect(entries).toEqual(logged);
  await gateway.close();
  warn(team, "r3");
  expect(entries).toEqual(logged);
});
