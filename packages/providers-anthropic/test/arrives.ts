import type { ChatMessage, ModelOptions } from "@troupe/core";
import { createLogger } from "@troupe/core";
import { bodiesOf, startVendor } from "./vendor.ts";
import type { AnthropicOptions } from "../src/index.ts";

/** A question that may call the tool. */
export const ask: ChatMessage[] = [{ role: "user", content: "Umbrella?" }];

/** A tool with a schema that the vendor takes. */
export const weather = {
  name: "get_weather",
  description: "Tells the weather",
  parameters: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: { city: { type: "string", minLength: 1 } },
    required: ["city"],
  },
};

type Case = { modelId?: string; messages?: ChatMessage[]; options?: ModelOptions; provider?: AnthropicOptions };

/** The body that arrives at a strict vendor, and the options that are said to be left out. */
export async function arrives({ modelId, messages = ask, options, provider }: Case = {}) {
  const { vendor, connect } = await startVendor();
  vendor.say("Yes.");
  const lines: string[] = [];
  const logger = createLogger({ level: "debug", write: (line) => void lines.push(line) });
  await connect(modelId, { logger, ...provider }).generate(messages, options);
  const [exchange] = vendor.exchanges;
  return {
    body: bodiesOf(vendor)[0],
    headers: exchange?.request.headers ?? {},
    stream: exchange?.route?.stream,
    lines,
  };
}
