import type { ModelProvider, ToolCall } from "@troupe/core";
import { wireBodies } from "../../checker/test/wire-bodies.ts";

type Reply = { choices: { message: { content: string | null; tool_calls?: { id: string; function: Wire }[] } }[] };
type Wire = { name: string; arguments: string };

/** A model over Chat Completions, without any care for failures. It does not stream. */
export function createChatModel(url: string): Pick<ModelProvider, "providerId" | "modelId" | "generate"> {
  return {
    providerId: "openai",
    modelId: "m",
    async generate(messages) {
      const body = JSON.stringify(wireBodies["openai-chat"](messages));
      const headers = { "content-type": "application/json", authorization: "Bearer key" };
      const response = await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body });
      if (!response.ok) throw new Error(await response.text());
      const message = ((await response.json()) as Reply).choices[0]?.message;
      const toolCalls = (message?.tool_calls ?? []).map(({ id, function: call }): ToolCall => {
        return { id, name: call.name, arguments: JSON.parse(call.arguments) as Record<string, unknown> };
      });
      const usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };
      return { text: message?.content ?? "", toolCalls, usage, finishReason: "stop" };
    },
  };
}
