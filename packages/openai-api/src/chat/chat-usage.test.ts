import { ScriptedModel } from "@troupe/core/testing";
import type OpenAI from "openai";
import type { ChatCompletionMessage, ChatCompletionMessageParam } from "openai/resources";
import { describe, expect, it } from "vitest";
import { scripted, weatherTool } from "../../test/agents.ts";
import { readAll, serve } from "../../test/serve.ts";

const usageOf = (promptTokens: number) => ({ promptTokens, completionTokens: 1, totalTokens: promptTokens + 1 });
const getTime = { type: "function", function: { name: "get_time", parameters: { type: "object" } } } as const;

type Completion = { readonly message: ChatCompletionMessage; readonly tokens: number | undefined };
type Ask = (client: OpenAI, messages: ChatCompletionMessageParam[]) => Promise<Completion>;

const ways: Readonly<Record<string, Ask>> = {
  whole: async (client, messages) => {
    const { choices, usage } = await client.chat.completions.create({ model: "helper", messages, tools: [getTime] });
    const [choice] = choices;
    if (choice === undefined) throw new Error("The completion has no choice.");
    return { message: choice.message, tokens: usage?.total_tokens };
  },
  streamed: async (client, messages) => {
    const options = { stream_options: { include_usage: true } };
    const stream = client.chat.completions.stream({ model: "helper", messages, tools: [getTime], ...options });
    const used = (await readAll(stream)).flatMap(({ usage }) => usage?.total_tokens ?? []);
    expect(used).toHaveLength(1);
    return { message: await stream.finalMessage(), tokens: used[0] };
  },
};

describe.each(Object.entries(ways))("the usage of a %s completion", (_, ask) => {
  it("is that of its part of a run that waits for the client's tools", async () => {
    const timeOf = (zone: string) => ({ toolCalls: [{ name: "get_time", arguments: { zone } }] });
    const { tool } = weatherTool();
    const { agent, model } = scripted(
      [
        { toolCalls: [{ name: "weather", arguments: { city: "Tromsø" } }], usage: usageOf(5) },
        { ...timeOf("UTC"), usage: usageOf(10) },
        { ...timeOf("CET"), usage: usageOf(20) },
        { text: "Noon.", usage: usageOf(100) },
      ],
      { tools: [tool] },
    );
    const { client } = await serve({ agents: { helper: agent } });
    const messages: ChatCompletionMessageParam[] = [{ role: "user", content: "What time is it?" }];
    const used: unknown[] = [];
    for (let round = 0; round < 3; round++) {
      const { message, tokens } = await ask(client, messages);
      used.push(tokens);
      const results = (message.tool_calls ?? []).map(({ id }) => {
        return { role: "tool", tool_call_id: id, content: "12:00" } as const;
      });
      messages.push(message, ...results);
    }

    // The first part has two calls of the model: one before the agent's own tool, and one for the client's.
    expect(used).toEqual([6 + 11, 21, 101]);
    expect(model.calls).toHaveLength(4);
  });

  it("is that of the whole run if the client has no tools", async () => {
    const { agent } = scripted([{ text: "Hello.", usage: usageOf(7) }]);
    const { client } = await serve({ agents: { helper: agent } });

    expect((await ask(client, [{ role: "user", content: "Hi" }])).tokens).toBe(8);
  });
});

it("the usage of a chunk is sent to no client that did not ask for it", async () => {
  const model = new ScriptedModel({ toolCalls: [{ name: "get_time", arguments: {} }], usage: usageOf(10) });
  const { agent } = scripted([], { model });
  const { client } = await serve({ agents: { helper: agent } });
  const messages = [{ role: "user" as const, content: "Hi" }];
  const body = { model: "helper", messages, tools: [getTime], stream: true as const };

  const chunks = await readAll(await client.chat.completions.create(body));
  expect(chunks.filter((chunk) => "usage" in chunk)).toEqual([]);
});
