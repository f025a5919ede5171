import { Agent, createLogger, EventBus, Team, UserMemory, Workflow } from "@troupe/core";
import type { AgentConfig } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import express from "express";
import { watchErrorStream } from "@troupe-internal/interleavings";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { serve } from "../test/serve.ts";
import { createAgentRouter } from "./create-agent-router.ts";

/** An agent whose facts can never be extracted. */
function forgetful(name: string, config: Partial<AgentConfig> = {}) {
  const failing = new ScriptedModel().respond(() => ({ error: new Error("no facts about sk-canary") }));
  const userMemory = new UserMemory({ model: failing });
  const model = new ScriptedModel().respond(() => "Hi.");
  return { userMemory, agent: new Agent({ name, model, userMemory, retry: { maxRetries: 0 }, ...config }) };
}

const body = { input: "I am Ada.", userId: "ada" };
const warningsIn = (lines: readonly string[]) =>
  lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ level }) => level === "warn");

afterEach(() => vi.restoreAllMocks());

describe("the router's log", () => {
  it("has the warnings of a silent agent, the second too, with the ids of their runs and without keys [http.logs-warnings]", async () => {
    const { agent, userMemory } = forgetful("helper");
    const service = await serve({ agents: { helper: agent } });
    const ids: unknown[] = [];
    for (const path of ["run", "stream"]) {
      const { headers } = await service.post(`/agents/helper/${path}`, body, { "x-api-key": "sk-canary" });
      ids.push(headers.get("x-run-id"));
      await userMemory.flush();
    }

    expect(warningsIn(service.lines)).toMatchObject(
      ids.map((runId) => ({
        message: "No facts could be extracted from the conversation.",
        code: "facts_not_extracted",
        runId,
      })),
    );
    expect(service.lines.join("")).not.toContain("canary");
  });

  it("has each warning once, of an agent that is served twice, in a team, in a workflow and on a shared bus [http.logs-warnings]", async () => {
    const eventBus = new EventBus();
    const { agent, userMemory } = forgetful("helper", { eventBus });
    const desk = new Team({ name: "desk", mode: "route", model: new ScriptedModel(), members: [agent] });
    const flow = new Workflow({ name: "flow", initialState: {}, steps: [{ name: "ask", agent }], eventBus });
    const service = await serve({ agents: { one: agent, two: agent }, teams: { desk }, workflows: { flow } });

    for (const path of ["/agents/one", "/agents/two", "/teams/desk", "/workflows/flow"]) {
      await service.post(`${path}/run`, body);
      await userMemory.flush();
    }

    expect(warningsIn(service.lines)).toHaveLength(4);
  });

  it("has the warnings of a member and of a step's agent that are not served themselves [http.logs-warnings]", async () => {
    const [member, inner] = [forgetful("member"), forgetful("inner")];
    const desk = new Team({ name: "desk", mode: "route", model: new ScriptedModel(), members: [member.agent] });
    const flow = new Workflow({ name: "flow", initialState: {}, steps: [{ name: "ask", agent: inner.agent }] });
    const service = await serve({ teams: { desk }, workflows: { flow } });
    await service.post("/teams/desk/run", body);
    await service.post("/workflows/flow/run", body);
    await Promise.all([member.userMemory.flush(), inner.userMemory.flush()]);

    expect(warningsIn(service.lines).map(({ code }) => code)).toEqual(["facts_not_extracted", "facts_not_extracted"]);
  });

  it("has no warning that the agent's own logger has written, and has it when that logger writes errors alone [http.logs-warnings]", async () => {
    const lines: string[] = [];
    const own = createLogger({ level: "warn", write: (line) => lines.push(line) });
    const [loud, quiet] = [
      forgetful("loud", { logger: own }),
      forgetful("quiet", { logger: createLogger({ level: "error", write: (line) => lines.push(line) }) }),
    ];
    const service = await serve({ agents: { loud: loud.agent, quiet: quiet.agent } });
    await service.post("/agents/loud/run", body);
    await service.post("/agents/quiet/run", body);
    await Promise.all([loud.userMemory.flush(), quiet.userMemory.flush()]);

    expect(lines).toHaveLength(1);
    expect(warningsIn(service.lines)).toHaveLength(1);
  });

  it("goes to the standard error stream from level warn on without a logger [http.logs-warnings]", async () => {
    const { lines: written, restore } = watchErrorStream();
    onTestFinished(restore);
    const { agent, userMemory } = forgetful("helper");
    express().use(createAgentRouter({ agents: { helper: agent } }));
    await agent.run("I am Ada.", { userId: "ada" });
    await userMemory.flush();

    expect(written).toHaveLength(1);
    expect(written[0]).toContain("No facts could be extracted");
  });

  it("has no more warnings once the service has shut down", async () => {
    const { agent, userMemory } = forgetful("helper");
    const service = await serve({ agents: { helper: agent } });
    await service.served.close();
    await agent.run("I am Ada.", { userId: "ada" });
    await userMemory.flush();

    expect(warningsIn(service.lines)).toEqual([]);
    expect(agent.eventBus.has("run.warning")).toBe(false);
  });

  it("does without a bus of a Runnable that has none", () => {
    const bare = { name: "bare", kind: "remote", run: () => {}, stream: () => {} };

    expect(() => createAgentRouter({ agents: { bare: bare as never } })).not.toThrow();
  });
});
