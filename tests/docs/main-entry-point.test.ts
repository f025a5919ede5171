import { Agent, EventBus, isRetryable, keyHeaders } from "@troupe/core";
import type { ModelProvider, ModelResponse, ToolSpec } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";

describe("the main entry point", () => {
  it("has an EventBus with the events of runs, or others with a type argument [events.default-type]", async () => {
    const heard: string[] = [];
    const eventBus = new EventBus();
    eventBus.on("run.start", ({ agentName }) => heard.push(agentName.toUpperCase()));
    eventBus.on("run.complete", ({ output }) => heard.push(output.text));
    // @ts-expect-error -- no event of a run
    eventBus.on("started", () => heard.push("never"));
    const own = new EventBus<{ started: { id: string } }>({ onHandlerError: () => {} });
    own.on("started", ({ id }) => heard.push(id));

    await new Agent({ name: "helper", model: new ScriptedModel("Rain."), eventBus }).run("Oslo?");
    own.emit("started", { id: "1" });

    expect(heard).toEqual(["HELPER", "Rain.", "1"]);
  });

  it("has all that a model provider and a host of the key headers need by name", async () => {
    const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
    const model: ModelProvider = {
      providerId: "echo",
      modelId: "echo-1",
      generate: async (_messages, { tools = [] } = {}): Promise<ModelResponse> => {
        const names = tools.map(({ name }: ToolSpec) => name);
        return { text: `${names.length} tools`, toolCalls: [], usage, finishReason: "stop" };
      },
      async *stream() {
        yield { type: "finish", finishReason: "stop", usage };
      },
    };

    expect((await new Agent({ name: "a", model }).run("Hi")).text).toBe("0 tools");
    expect(keyHeaders).toContain("x-api-key");
    expect([isRetryable({ status: 429 }), isRetryable({ status: 400 })]).toEqual([true, false]);
  });
});
