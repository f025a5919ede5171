import type { ChatMessage } from "@troupe/core";
import type { ModelCallOptions } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { contextOf } from "../test/request-context.ts";
import type { PromptCache } from "./options.ts";
import { toRequest } from "./to-request.ts";

const ask: ChatMessage[] = [{ role: "user", content: "Umbrella?" }];
const look = { name: "look", description: "Looks.", parameters: { type: "object", properties: {} } };
const opus = "us.anthropic.claude-opus-5-5";
const nova = "us.amazon.nova-pro-v1:0";
const llama = "us.meta.llama3-3-70b-instruct-v1:0";

type Given = { modelId?: string; options?: ModelCallOptions; messages?: ChatMessage[]; promptCache?: PromptCache };

function write({ modelId = nova, options = {}, messages = ask, promptCache = false }: Given) {
  return { body: toRequest(messages, options, { ...contextOf({}, modelId).context, promptCache }) };
}

describe("cache points", () => {
  const messages: ChatMessage[] = [
    { role: "system", content: "Be short." },
    ...ask,
    { role: "assistant", content: "Yes." },
    { role: "user", content: "And now?" },
  ];
  const point = { cachePoint: { type: "default" } };
  const countIn = (value: unknown) => JSON.stringify(value).split('"cachePoint"').length - 1;

  it("stand behind tools, instructions and the user's last two messages of Claude", () => {
    const { body } = write({ modelId: opus, messages, options: { tools: [look] }, promptCache: { ttl: "1h" } });
    const long = { cachePoint: { type: "default", ttl: "1h" } };

    expect(body.toolConfig?.tools.at(-1)).toEqual(long);
    expect(body.system?.at(-1)).toEqual(long);
    expect(body.messages.map(({ content }) => content.at(-1))).toEqual([point, { text: "Yes." }, point]);
    expect(countIn(body)).toBe(4);
  });

  it.each<[string, Given, number]>([
    ["Nova, without those behind tools", { options: { tools: [look] }, messages }, 3],
    ["a model without a cache", { modelId: llama, messages }, 0],
    ["a single call", { messages: messages.slice(0, 2) }, 1],
    ["a single call of a session", { messages: messages.slice(0, 2), options: { cacheKey: "k" } }, 2],
    ["no cache", { messages, promptCache: false }, 0],
    ["points of the caller", { messages, options: { vendor: { bedrock: { system: [{ text: "a" }, point] } } } }, 1],
  ])("are as many as fit: %s", (_, given, count) => {
    expect(countIn(write({ promptCache: { ttl: "5m" }, ...given }).body)).toBe(count);
  });
});
