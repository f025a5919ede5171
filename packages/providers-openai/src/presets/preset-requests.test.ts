import type { ChatMessage, ModelOptions } from "@troupe/core";
import { expect, it, onTestFinished, vi } from "vitest";
import * as presets from "./presets.ts";
import type { Preset } from "./presets.ts";
import { vendors } from "./vendors.ts";
import type { PresetName } from "./vendors.ts";

const tools = [
  { name: "look", description: "Looks.", parameters: { type: "object", properties: {} } },
  { name: "wait", description: "Waits.", parameters: { type: "object", properties: {} } },
];
const schema = { type: "object", properties: { a: { type: "string" } } };
const made = presets as unknown as Readonly<Record<PresetName, Preset>>;

/** Models that a vendor treats differently, and one that is new. */
const models: Partial<Record<PresetName, readonly string[]>> = {
  groq: ["llama-4", "openai/gpt-oss-120b", "qwen/qwen3-32b"],
  deepseek: ["deepseek-chat", "deepseek-reasoner"],
  mistral: ["mistral-large-latest", "magistral-medium"],
  xai: ["grok-3-mini", "grok-4"],
};

/** The options of a call, each by itself. */
const options: Readonly<Record<string, ModelOptions>> = {
  none: {},
  settings: { temperature: 0, topP: 0.5, maxTokens: 5, stop: ["é"], seed: 7 },
  JSON: { responseFormat: "json" },
  "a schema": { responseFormat: { type: "json_schema", schema, name: "a" } },
  "any tool": { tools, toolChoice: "required" },
  "a named tool": { tools, toolChoice: { tool: "look" } },
  "no tool": { tools, toolChoice: "none" },
  "single calls": { tools, parallelToolCalls: false },
  reasoning: { reasoning: { enabled: true, effort: "high" } },
  "no reasoning": { reasoning: { enabled: false } },
  "a budget": { reasoning: { enabled: true, budgetTokens: 100 } },
};

const conversation: ChatMessage[] = [
  { role: "system", content: "Be é." },
  { role: "user", content: "Hi." },
  { role: "assistant", content: "", toolCalls: [{ id: "call_of_another_vendor", name: "look", arguments: {} }] },
  { role: "tool", content: "rain", toolCallId: "call_of_another_vendor" },
  {
    role: "user",
    content: [
      { type: "text", text: "And?" },
      { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
    ],
  },
];

async function requestOf(name: PresetName, model: string, [messages, given]: [ChatMessage[], ModelOptions]) {
  const sent = vi.fn<typeof fetch>().mockRejectedValue(new Error("not sent"));
  let refusal = "";
  await made[name](model, { apiKey: "sk-1", fetch: sent, useEnvironmentKey: true })
    .generate(messages, given)
    .catch((error: Error) => (refusal = error.name));
  const [url, init] = sent.mock.calls[0] ?? [];
  if (url === undefined) return `refused: ${refusal}`;
  const key = new Headers(init?.headers).get("authorization");
  return `${url as string} ${key} ${await new Response(init?.body).text()}`;
}

// What each vendor gets. If a change is meant, write the outline anew by `vitest --update`.
it("the requests of each preset are these", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: 0 });
  onTestFinished(() => void vi.useRealTimers());
  const lines: string[] = [];
  for (const name of Object.keys(vendors) as PresetName[]) {
    const { isOwnHost, ...facts } = vendors[name];
    lines.push(`# ${name} ${JSON.stringify(facts)} ${isOwnHost("example.com")}`);
    for (const model of models[name] ?? ["m"]) {
      for (const [title, given] of Object.entries(options))
        lines.push(`${model}, ${title}: ${await requestOf(name, model, [[{ role: "user", content: "Hi." }], given])}`);
      lines.push(`${model}, a conversation: ${await requestOf(name, model, [conversation, { tools }])}`);
    }
  }

  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("../../test/outlines/presets.txt");
});
