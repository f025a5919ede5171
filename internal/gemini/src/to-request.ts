import type { Content, GenerateContentConfig } from "@google/genai/web";
import { getTextContent } from "@troupe/core";
import type { ChatMessage, ModelOptions } from "@troupe/core";
import type { RequestContext } from "./request-context.ts";
import { toContents } from "./to-contents.ts";
import { toFormat } from "./to-format.ts";
import { toThinking } from "./to-thinking.ts";
import type { Thinking } from "./to-thinking.ts";
import { toTools } from "./to-tools.ts";
import type { Tools } from "./to-tools.ts";

/** What the vendor's library is asked to write; its enumerations are plain words here, since they come with it. */
export type Request = {
  model: string;
  contents: Content[];
  config: Omit<GenerateContentConfig, "thinkingConfig" | "tools" | "toolConfig"> &
    Tools & { thinkingConfig?: Thinking };
};

/** More are refused. */
const mostStops = 5;

/** Turns a call into a request to Gemini. What the model does not take is left out, or refused. */
export function toRequest(messages: readonly ChatMessage[], options: ModelOptions, context: RequestContext): Request {
  const { settings, instruction } = toFormat(options, context);
  const { temperature, topP, maxTokens } = options;
  const system = toSystem(messages, instruction);
  const stop = toStop(options.stop, context);
  return {
    model: context.model.modelId,
    contents: toContents(messages, context),
    config: {
      // One call is one request: the library neither calls tools nor goes on by itself.
      automaticFunctionCalling: { disable: true },
      automaticContinuation: false,
      ...(system !== "" && { systemInstruction: { parts: [{ text: system }] } }),
      ...(temperature !== undefined && { temperature }),
      ...(topP !== undefined && { topP }),
      ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
      ...(stop.length > 0 && { stopSequences: stop }),
      ...settings,
      ...toThinking(options.reasoning, context),
      ...toTools(options),
    },
  };
}

function toSystem(messages: readonly ChatMessage[], instruction = ""): string {
  const said = messages.flatMap(({ role, content }) => (role === "system" ? [getTextContent(content)] : []));
  return [...said, instruction].filter((text) => text !== "").join("\n\n");
}

function toStop(stop: readonly string[] = [], { drop }: RequestContext): string[] {
  const said = stop.filter((each) => each !== "").slice(0, mostStops);
  if (said.length < stop.length) drop("a stop sequence", `the vendor takes ${mostStops} at most, and no empty one`);
  return said;
}
