import { getTextContent } from "@troupe/core";
import type { FinishReason, RunOutput, Source, StreamChunk, TokenUsage } from "@troupe/core";
import type { AiSdkAgentPart, AiSdkAgentResult } from "./types.ts";

type ToolResult = Pick<Extract<StreamChunk, { type: "tool_result" }>, "toolCallId" | "toolName" | "result" | "error">;
type TextType = "text" | "reasoning";

const reasons: Readonly<Record<FinishReason, AiSdkAgentResult["finishReason"]["unified"]>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool-calls",
  content_filter: "content-filter",
  error: "error",
  tool_roundtrips: "other",
  other: "other",
};

/** Converts the end of a run to the finish part of a stream. */
export function toFinish(finishReason: FinishReason, usage: TokenUsage | undefined) {
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens, reasoningTokens } = usage ?? {};
  const noCache = promptTokens === undefined ? undefined : promptTokens - (cachedTokens ?? 0) - (cacheWriteTokens ?? 0);
  const text = completionTokens === undefined ? undefined : completionTokens - (reasoningTokens ?? 0);
  return {
    finishReason: { unified: reasons[finishReason], raw: finishReason },
    usage: {
      inputTokens: { total: promptTokens, noCache, cacheRead: cachedTokens, cacheWrite: cacheWriteTokens },
      outputTokens: { total: completionTokens, text, reasoning: reasoningTokens },
    },
  };
}

/** Converts a source. A source without a URL becomes a document. */
function toSource({ id, url, title }: Source) {
  const type = "source" as const;
  if (url === undefined)
    return { type, sourceType: "document" as const, id, mediaType: "text/plain", title: title ?? id };
  return { type, sourceType: "url" as const, id, url, ...(title !== undefined && { title }) };
}

/** Returns a tool call that the agent executed. */
function toToolCall({ toolCallId, toolName }: { toolCallId: string; toolName: string }, input: string) {
  return { type: "tool-call" as const, toolCallId, toolName, input, providerExecuted: true, dynamic: true } as const;
}

/** Converts the result of a tool call. A failed call has the error text for clients. */
function toToolResult({ toolCallId, toolName, result, error }: ToolResult) {
  const shown = { type: "tool-result" as const, toolCallId, toolName, dynamic: true } as const;
  return error === undefined
    ? { ...shown, result: getTextContent(result) }
    : { ...shown, result: error, isError: true };
}

/** Converts the output of a run to the content of a whole answer. */
export function toContent({ text, thinking, toolCalls, sources }: RunOutput): AiSdkAgentResult["content"] {
  return [
    ...(thinking === undefined || thinking === "" ? [] : [{ type: "reasoning" as const, text: thinking }]),
    ...toolCalls.flatMap((call) => [toToolCall(call, JSON.stringify(call.args)), toToolResult(call)]),
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...(sources ?? []).map(toSource),
  ];
}

/** Converts the chunks of a run to stream parts of the AI SDK. */
export class RunParts {
  #open: { type: TextType; id: string } | undefined;
  #count = 0;
  readonly #inputs = new Map<string, string>();
  readonly #names = new Map<string, string>();

  /** Converts a chunk of a run's stream to the parts of a stream of the AI SDK. */
  read(chunk: StreamChunk): AiSdkAgentPart[] {
    switch (chunk.type) {
      case "text":
        return this.#toText("text", chunk.text);
      case "thinking":
        return this.#toText("reasoning", chunk.text);
      case "source":
        return [toSource(chunk)];
      case "tool_call_start":
        this.#names.set(chunk.toolCall.id, chunk.toolCall.name);
        return this.#close();
      case "tool_call_delta":
        this.#inputs.set(chunk.toolCallId, (this.#inputs.get(chunk.toolCallId) ?? "") + chunk.argumentsDelta);
        return [];
      case "tool_result":
        return [toToolCall(chunk, this.#inputs.get(chunk.toolCallId) || "{}"), toToolResult(chunk)];
      case "finish":
        return [...this.#close(), { type: "finish", ...toFinish(chunk.finishReason, chunk.usage) }];
      default:
        return [];
    }
  }

  #toText(type: TextType, delta: string): AiSdkAgentPart[] {
    const parts: AiSdkAgentPart[] = [];
    if (this.#open?.type !== type) {
      parts.push(...this.#close());
      this.#open = { type, id: `${type}-${(this.#count += 1)}` };
      parts.push({ type: `${type}-start`, id: this.#open.id });
    }
    parts.push({ type: `${type}-delta`, id: this.#open.id, delta });
    return parts;
  }

  #close(): AiSdkAgentPart[] {
    const open = this.#open;
    this.#open = undefined;
    return open === undefined ? [] : [{ type: `${open.type}-end`, id: open.id }];
  }
}
