import { describe, expect, it } from "vitest";
import type { RunEvents } from "../run/run-events.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { runnableAsTool } from "../tool/runnable-as-tool.ts";
import { Agent } from "./agent.ts";
import { scripted } from "./test/agents.ts";

class OtherModel extends ScriptedModel {
  override readonly providerId = "other";
}

const asks = (...names: string[]) => ({
  toolCalls: names.map((name, index) => ({ id: `${index}`, name, arguments: { input: `Ask ${name}` } })),
});

describe("an agent as a tool of another", () => {
  it("answers within the run: its text is the result, and its usage counts for the run", async () => {
    const inner = scripted(["Rain.", "Snow."], { name: "inner", description: "Knows the weather." });
    const outer = scripted([asks("ask_inner"), asks("ask_inner"), "Bring boots."], {
      tools: [runnableAsTool(inner.agent)],
    });
    const starts: RunEvents["run.start"][] = [];
    inner.agent.eventBus.on("run.start", (start) => void starts.push(start));

    const output = await outer.agent.run("Weather?");

    expect(outer.model.calls[0]?.options.tools).toMatchObject([
      { name: "ask_inner", description: "Knows the weather." },
    ]);
    expect(output.toolCalls.map(({ result }) => result)).toEqual(["Rain.", "Snow."]);
    expect(output.usage.totalTokens).toBe(5 * 15);
    expect(starts.map(({ parentRunId, input }) => [parentRunId, input])).toEqual([
      [output.runId, "Ask ask_inner"],
      [output.runId, "Ask ask_inner"],
    ]);
  });

  it("has the user, the tenant and the metadata of the run, and a session of its own [run-opts.user] [run-opts.metadata]", async () => {
    const storage = new InMemoryStorage();
    const contexts: unknown[] = [];
    const inner = scripted(["Rain."], {
      name: "inner",
      storage,
      sessionId: "s",
      hooks: { beforeRun: (context) => void contexts.push({ ...context }) },
    });
    const outer = scripted([asks("ask_inner"), "Boots."], { tools: [runnableAsTool(inner.agent)], storage });
    await outer.agent.run("Weather?", { sessionId: "s", userId: "Ada", tenantId: "t", metadata: { plan: "free" } });

    expect(contexts).toMatchObject([{ userId: "Ada", tenantId: "t", metadata: { plan: "free" }, agentName: "inner" }]);
    const keys = (await storage.list("sessions")).map(({ key }) => key);
    expect(keys).toHaveLength(2);
    expect(keys.every((key) => key.startsWith("t/"))).toBe(true);
  });

  it("uses the keys of the run: each vendor gets its own and no other [run-opts.api-key]", async () => {
    const same = scripted(["Rain."], { name: "same" });
    const model = new OtherModel("Snow.");
    const other = new Agent({ name: "other", model });
    const tools = [runnableAsTool(same.agent), runnableAsTool(other)];
    const generic = scripted([asks("ask_same", "ask_other"), "Boots."], { tools });
    await generic.agent.run("Weather?", { apiKey: "sk-generic" });
    expect([generic, same].map((one) => one.model.calls[0]?.options.apiKey)).toEqual(["sk-generic", "sk-generic"]);
    expect(model.calls[0]?.options).not.toHaveProperty("apiKey");

    const own = new OtherModel("Snow.");
    const named = scripted([asks("ask_other"), "Boots."], {
      tools: [runnableAsTool(new Agent({ name: "other", model: own }))],
    });
    await named.agent.run("Weather?", { apiKeys: { scripted: "sk-one", other: "sk-two" } });
    expect(named.model.calls[0]?.options.apiKey).toBe("sk-one");
    expect(own.calls[0]?.options.apiKey).toBe("sk-two");
  });

  it("may fail: the model gets the error, its usage is counted, and the run goes on", async () => {
    const inner = scripted(["no", "no", "no"], {
      name: "inner",
      structuredOutput: { type: "object", required: ["a"] },
    });
    const outer = scripted([asks("ask_inner"), "Pity."], { tools: [runnableAsTool(inner.agent)] });

    const output = await outer.agent.run("Weather?");

    expect(output).toMatchObject({ text: "Pity.", toolCalls: [{ error: expect.stringContaining("failed") }] });
    expect(output.usage.totalTokens).toBe(5 * 15);
  });

  it("may be called twice in parallel, also by itself, in sessions of its own", async () => {
    const inner = scripted(["Rain.", "Snow."], { name: "inner", sessionId: "s" });
    const outer = scripted([asks("ask_inner", "ask_inner"), "Boots."], {
      tools: [runnableAsTool(inner.agent)],
      sessionId: "s",
    });

    expect((await outer.agent.run("Weather?")).toolCalls.map(({ result }) => result)).toEqual(["Rain.", "Snow."]);
  });
});
