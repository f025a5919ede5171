import { getTextContent } from "@troupe/core";
import type { ChatMessage, ModelProvider } from "@troupe/core";
import { collectResponse } from "@troupe/core/provider";
import type { ModelChunk } from "@troupe/core/provider";

const note = "This is the offline model, which understands nothing. {{advice}}";

/**
 * Takes the place of a language model as long as there is no key. It calls the weather tool if the question names a
 * city, and says in each answer that it is not a language model. Delete this file when you have a key.
 */
export const offlineModel: ModelProvider = {
  providerId: "offline",
  modelId: "no-language-model",
  async generate(messages, options) {
    return await collectResponse(this.stream(messages, options));
  },
  async *stream(messages, { tools = [] } = {}): AsyncGenerator<ModelChunk> {
    const last = messages.at(-1);
    const city = cityIn(last);
    if (city !== undefined && tools.some(({ name }) => name === "weather")) {
      yield { type: "tool_call_start", toolCall: { id: "call_1", name: "weather" } };
      yield { type: "tool_call_delta", toolCallId: "call_1", argumentsDelta: JSON.stringify({ city }) };
      yield { type: "tool_call_end", toolCallId: "call_1" };
      yield { type: "finish", finishReason: "tool_calls" };
      return;
    }
    const said = last?.role === "tool" ? `The weather tool says: ${getTextContent(last.content)} ` : "";
    for (const text of `${said}${note}`.match(/\S+\s*/g) ?? []) yield { type: "text", text };
    yield { type: "finish", finishReason: "stop" };
  },
};

/** Returns the city of a question, such as "Oslo" in "What should I take along to Oslo?" */
function cityIn(message: ChatMessage | undefined): string | undefined {
  if (message?.role !== "user") return undefined;
  return /\b(?:to|in|for) (\p{Lu}[\p{L}-]*)/u.exec(getTextContent(message.content))?.[1];
}
