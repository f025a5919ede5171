import type { FakeVendor } from "@troupe-internal/vendor-fakes";
import type { ChatMessage, ModelOptions } from "@troupe/core";
import type { OpenAIOptions } from "../src/index.ts";
import { lastBody, modelOf, question, startVendor } from "./ask.ts";

/** A schema that can be strict. */
export const strictParameters = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
/** A schema that cannot be strict. */
export const looseParameters = { type: "object", properties: { city: { type: "string" } } };
/** A tool with a strict schema. */
export const strictTool = { name: "get_weather", description: "Tells the weather.", parameters: strictParameters };
/** A tool with a schema that cannot be strict. */
export const looseTool = { name: "get_time", description: "Tells the time.", parameters: looseParameters };

/** A conversation with every kind of message and part. */
export const conversation: ChatMessage[] = [
  { role: "system", content: "Be short." },
  { role: "system", content: "Be kind." },
  { role: "user", content: "Umbrella?" },
  {
    role: "assistant",
    content: "Let me look.",
    toolCalls: [{ id: "call_1", name: "get_weather", arguments: { city: "Oslo" } }],
  },
  { role: "tool", toolCallId: "call_1", content: "rain" },
  { role: "assistant", content: "Take one." },
  { role: "system", content: "It is evening." },
  {
    role: "user",
    content: [
      { type: "text", text: "And" },
      { type: "text", text: "" },
      { type: "text", text: "now?" },
    ],
  },
];

/** The model and the messages of a call. */
export type Setup = OpenAIOptions & { modelId?: string; messages?: ChatMessage[] };

/** Returns the body that the vendor receives for a call. */
export async function bodyOf(options: ModelOptions, { messages = question, ...config }: Setup = {}) {
  const vendor: FakeVendor = (await startVendor()).say("{}");
  await modelOf(vendor, config).generate(messages, options);
  return lastBody(vendor);
}
