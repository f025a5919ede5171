import type { ChatMessage } from "@troupe/core";
import type { DialectName } from "@troupe-internal/vendor-fakes";
import { contentText } from "../stored-turns.ts";

type Body = (messages: readonly ChatMessage[]) => Record<string, unknown>;

/** Request bodies of one conversation, by dialect. */
export const wireBodies: Record<DialectName, Body> = {
  "openai-chat": (messages) => ({ model: "m", messages: messages.map((message) => toChat(message)) }),
  ollama: (messages) => ({ model: "m", messages: messages.map((message) => withoutIds(toChat(message))) }),
  "openai-responses": (messages) => ({ model: "m", instructions: "Be brief.", input: messages.flatMap(toItems) }),
  anthropic: (messages) => ({ model: "m", system: "Be brief.", messages: messages.map(toBlocks) }),
  google: (messages) => ({ contents: messages.map(toContent) }),
};

function toChat({ role, content, toolCalls, toolCallId }: ChatMessage): Record<string, unknown> {
  const calls = toolCalls?.map(({ id, name, arguments: args }) => {
    return { id, type: "function", function: { name, arguments: JSON.stringify(args) } };
  });
  return {
    role,
    content,
    ...(calls && { tool_calls: calls }),
    ...(toolCallId !== undefined && { tool_call_id: toolCallId }),
  };
}

/** Removes call ids, as older versions of Ollama have none. */
function withoutIds({ tool_calls: calls, tool_call_id: answers, ...rest }: Record<string, unknown>) {
  const named = (calls as { function: object }[] | undefined)?.map((call) => ({ function: call.function }));
  return { ...rest, ...(named && { tool_calls: named }), ...(answers !== undefined && { tool_name: "weather" }) };
}

function toItems({ role, content, toolCalls = [], toolCallId }: ChatMessage): object[] {
  if (role === "tool") return [{ type: "function_call_output", call_id: toolCallId, output: content }];
  const type = role === "assistant" ? "output_text" : "input_text";
  const words = content === null ? [] : [{ type: "message", role, content: [{ type, text: content }] }];
  const calls = toolCalls.map(({ id, name }) => ({ type: "function_call", call_id: id, name, arguments: "{}" }));
  return [...words, ...calls];
}

function toBlocks({ role, content, toolCalls = [], toolCallId }: ChatMessage): object {
  if (role === "tool") {
    return { role: "user", content: [{ type: "tool_result", tool_use_id: toolCallId, content: contentText(content) }] };
  }
  const calls = toolCalls.map(({ id, name, arguments: input }) => ({ type: "tool_use", id, name, input }));
  return { role, content: [...(content === null ? [] : [{ type: "text", text: content }]), ...calls] };
}

function toContent({ role, content, toolCalls = [] }: ChatMessage): object {
  if (role === "tool") {
    return { role: "user", parts: [{ functionResponse: { name: "weather", response: { output: content } } }] };
  }
  const calls = toolCalls.map(({ name, arguments: args }) => ({ functionCall: { name, args } }));
  const words = content === null ? [] : [{ text: content }];
  return { role: role === "assistant" ? "model" : role, parts: [...words, ...calls] };
}
