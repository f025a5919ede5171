import { Agent, InMemoryStorage } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { weatherTool, weatherTurns } from "../../test/agents.ts";
import { serve } from "../../test/serve.ts";

const hi: { role: "user"; content: string }[] = [{ role: "user", content: "Hi" }];

/** A model that may only be asked for whole answers. */
class WholeModel extends ScriptedModel {
  override stream(): never {
    throw new Error("The answer was read in pieces.");
  }
}

function wholeAgent(turns: ConstructorParameters<typeof ScriptedModel>, tools: Agent["tools"] = []): Agent {
  const storage = new InMemoryStorage();
  return new Agent({ name: "helper", model: new WholeModel(...turns), tools: [...tools], storage });
}

const sources = [{ id: "1", url: "https://example.com/å", title: "An example" }];

describe("an answer that is not streamed", () => {
  it("an answer that is not streamed of a chat completion is asked for as a whole, also with tools of the agent", async () => {
    const { client } = await serve({ agents: { helper: wholeAgent(weatherTurns, [weatherTool().tool]) } });
    const { choices } = await client.chat.completions.create({ model: "helper", messages: hi });
    expect(choices).toMatchObject([
      { message: { content: expect.stringContaining("It rains.") }, finish_reason: "stop" },
    ]);
  });

  it("an answer that is not streamed of a chat completion has the model's reasoning and sources", async () => {
    const { client } = await serve({ agents: { helper: wholeAgent([{ thinking: "Hm.", text: "Hello.", sources }]) } });
    const { choices } = await client.chat.completions.create({ model: "helper", messages: hi });
    expect(choices[0]?.message).toMatchObject({
      content: "Hello.",
      reasoning_content: "Hm.",
      annotations: [{ url_citation: { url: "https://example.com/å", title: "An example" } }],
    });
  });

  it.each([
    ["length", "length"],
    ["content_filter", "content_filter"],
    ["stop", "stop"],
  ] as const)(
    "an answer that is not streamed of a chat completion ends for the model's reason %s",
    async (finishReason, reason) => {
      const { client } = await serve({ agents: { helper: wholeAgent([{ text: "Hel", finishReason }]) } });
      const { choices } = await client.chat.completions.create({ model: "helper", messages: hi });
      expect(choices[0]?.finish_reason).toBe(reason);
    },
  );

  it("an answer that is not streamed of a response is asked for as a whole, and is read again from its session", async () => {
    const { client } = await serve({ agents: { helper: wholeAgent([{ thinking: "Hm.", text: "Hello.", sources }]) } });
    const response = await client.responses.create({ model: "helper", input: "Hi" });
    expect(response.output).toMatchObject([
      { type: "reasoning", summary: [{ text: "Hm." }], status: "completed" },
      { type: "message", content: [{ text: "Hello.", annotations: [{ url: "https://example.com/å" }] }] },
    ]);
    expect(response.usage?.total_tokens).toBe(15);
    expect((await client.responses.retrieve(response.id)).output_text).toBe("Hello.");
  });

  it.each([
    ["length", "incomplete", "max_output_tokens"],
    ["content_filter", "incomplete", "content_filter"],
    ["stop", "completed", undefined],
  ] as const)(
    "an answer that is not streamed of a response ends for the model's reason %s",
    async (finishReason, status, reason) => {
      const { client } = await serve({ agents: { helper: wholeAgent([{ text: "Hel", finishReason }]) } });
      const response = await client.responses.create({ model: "helper", input: "Hi" });
      expect([response.status, response.incomplete_details?.reason]).toEqual([status, reason]);
    },
  );

  it("an answer that is not streamed of a response shows the calls of the agent's tools in their places", async () => {
    const agent = new Agent({ name: "helper", model: new ScriptedModel(...weatherTurns), tools: [weatherTool().tool] });
    const { client } = await serve({ agents: { helper: agent } });
    const { output } = await client.responses.create({ model: "helper", input: "Hi" });
    expect(output.map(({ type }) => type)).toEqual(["message", "mcp_call", "message"]);
  });
});
