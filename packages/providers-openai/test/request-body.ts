import type { FakeVendor } from "@troupe-internal/vendor-fakes";
import type { ChatMessage, ModelOptions } from "@troupe/core";
import type { OpenAIOptions } from "../src/index.ts";
import { lastBody, modelOf, question, startVendor } from "./ask.ts";

/** A schema that is followed strictly as it stands. */
export const strictParameters = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
/** A schema that is not. */
export const looseParameters = { type: "object", properties: { city: { type: "string" } } };
/** A tool whose arguments are followed strictly. */
export const strictTool = { name: "get_weather", description: "Tells the weather.", parameters: strictParameters };
/** A tool whose arguments are not. */
export const looseTool = { name: "get_time", description: "Tells the time.", parameters: looseParameters };

/** A conversation with everything in it. */
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

/** Who is asked, and what is said. */
export type Setup = OpenAIOptions & { modelId?: string; messages?: ChatMessage[] };

/** The body that arrives for a call. */
export async function bodyOf(options: ModelOptions, { messages = question, ...config }: Setup = {}) {
  const vendor: FakeVendor = (await startVendor()).say("{}");
  await modelOf(vendor, config).generate(messages, options);
  return lastBody(vendor);
}
