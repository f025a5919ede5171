import { describe, expect, it, onTestFinished, vi } from "vitest";
import { testRun } from "../run/test/test-run.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { scriptedUsage } from "../../testing/scripted-answer.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Agent } from "./agent.ts";
import type { AgentConfig } from "./agent-config.ts";

const owner = { userId: "ada" };
const opts = { sessionId: "s", ...owner };

function agentWith(titles: ScriptedModel, more: Partial<AgentConfig> = {}): Agent {
  const model = new ScriptedModel().respond(() => "Take an umbrella.");
  return new Agent({ name: "helper", model, storage: new InMemoryStorage(), titles: { model: titles }, ...more });
}

const titleOf = async (agent: Pick<Agent, "sessions">) => (await agent.sessions.readSession("s", { owner })).title;

describe("the title that a model makes", () => {
  it("replaces the first message after the answer, once for a session [session.title-model]", async () => {
    const titles = new ScriptedModel().respond(() => '"A week in\nOslo."');
    const agent = agentWith(titles);
    const completed: { runId: string; parentRunId?: string | undefined; totalTokens: number }[] = [];
    agent.eventBus.on("run.complete", ({ runId, parentRunId, output }) => {
      completed.push({ runId, parentRunId, totalTokens: output.usage.totalTokens });
    });

    const { runId, usage } = await agent.run("What do I take to Oslo?", opts);
    expect(await titleOf(agent)).toBe("What do I take to Oslo?");
    await agent.sessions.flush();

    expect(await titleOf(agent)).toBe("A week in Oslo");
    expect(completed).toMatchObject([
      { runId, totalTokens: usage.totalTokens },
      { parentRunId: runId, totalTokens: expect.any(Number) as number },
    ]);
    expect(completed[1]?.totalTokens).toBeGreaterThan(0);
    expect(completed[1]?.runId).not.toBe(runId);
    await agent.run("And to Bergen?", opts);
    await agent.sessions.flush();
    expect(titles.calls).toHaveLength(1);
    expect(JSON.stringify(titles.calls[0])).toContain("Take an umbrella.");
  });

  it("counts for no parent run, and is made with the key of its own vendor [session.title-model]", async () => {
    const titles = new ScriptedModel().respond(() => "A week in Oslo");
    const { context: parent, meter } = testRun();
    const agent = agentWith(titles);

    const { usage } = await agent.run("What do I take to Oslo?", { ...opts, parent, apiKey: "sk-own" });
    await agent.sessions.flush();

    expect(await titleOf(agent)).toBe("A week in Oslo");
    expect(meter.total).toEqual(usage);
    expect(titles.calls.map(({ options }) => options.apiKey)).toEqual(["sk-own"]);
  });

  it("is a model call of its own run, in events and usage [events.model-call] [events.model-result] [events.model-usage]", async () => {
    const agent = agentWith(new ScriptedModel("A week in Oslo"));
    const told: unknown[] = [];
    agent.eventBus.on("model.call", ({ parentRunId, attempt }) => void told.push({ parentRunId, attempt }));
    agent.eventBus.on("model.result", ({ parentRunId, usage }) => void told.push({ parentRunId, usage }));
    agent.eventBus.on("run.complete", ({ parentRunId, output: { usage } }) => void told.push({ parentRunId, usage }));
    const { runId } = await agent.run("What do I take to Oslo?", opts);
    await agent.sessions.flush();

    const ofTitle = { parentRunId: runId, usage: scriptedUsage };
    expect(told.slice(3)).toEqual([{ parentRunId: runId, attempt: 1 }, ofTitle, ofTitle]);
  });

  it("never delays the answer, and is not made when the user has set one before", async () => {
    let renamed: Promise<unknown> | undefined;
    const titles = new ScriptedModel().respond(() => {
      renamed = agent.sessions.renameSession("s", "Mine", { owner });
      return "A model's";
    });
    const agent = agentWith(titles);

    await agent.run("Hi", opts);
    expect(renamed).toBeUndefined();
    await agent.sessions.flush();
    await renamed;

    expect(await titleOf(agent)).toBe("Mine");
  });

  it.each([
    [
      "fails",
      () => {
        throw new Error("The vendor is gone, sk-secret.");
      },
    ],
    ["is empty", () => " \n "],
  ])(
    "is a warning when the model's answer %s, and leaves the first message [session.title-failure]",
    async (_, answer) => {
      const agent = agentWith(new ScriptedModel().respond(answer), { retry: { maxRetries: 0 } });
      const warnings: unknown[] = [];
      agent.eventBus.on("run.warning", (warning) => void warnings.push(warning));

      const { runId } = await agent.run("Hi", opts);
      await agent.sessions.flush();

      expect(warnings).toMatchObject([{ runId, code: "title_not_made" }]);
      expect(JSON.stringify(warnings)).not.toContain("sk-secret");
      expect(await titleOf(agent)).toBe("Hi");
    },
  );

  it("is waited for when its agent is closed, for a second session too [session.title-close]", async () => {
    const titles = new ScriptedModel().respond(() => ({ text: "A title", delayMs: 20 }));
    const agent = agentWith(titles);
    for (const sessionId of ["s", "s2"]) await agent.run("Hi", { ...opts, sessionId });
    await agent.close();

    expect(await titleOf(agent)).toBe("A title");
    expect((await agent.sessions.readSession("s2", { owner })).title).toBe("A title");
    await agent.close();
  });

  it("is cancelled when it is not made 5 seconds after its agent was closed [session.title-close]", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const titles = new ScriptedModel({ hang: true });
    const agent = agentWith(titles);
    const warnings: unknown[] = [];
    agent.eventBus.on("run.warning", (warning) => void warnings.push(warning));
    await agent.run("Hi", opts);
    await new Promise((resolve) => void setImmediate(resolve));
    let isClosed = false;
    const closing = agent.close().then(() => (isClosed = true));
    await vi.advanceTimersByTimeAsync(4900);
    expect([isClosed, titles.calls[0]?.end]).toEqual([false, "running"]);
    await vi.advanceTimersByTimeAsync(5200);
    await closing;

    expect(titles.calls[0]?.end).toBe("cancelled");
    expect(warnings).toMatchObject([{ code: "title_not_made", fields: { errorCode: "cancelled" } }]);
    expect(await titleOf(agent)).toBe("Hi");
  });

  it("is refused in the configuration without a model", () => {
    for (const titles of [{}, true, { model: "gpt" }, { model: new ScriptedModel(), words: 3 }]) {
      expect(() => agentWith(new ScriptedModel(), { titles: titles as never })).toThrow(
        expect.objectContaining({ code: "invalid_config", message: expect.stringContaining("titles") as string }),
      );
    }
  });
});
