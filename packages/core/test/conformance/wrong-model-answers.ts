import { TroupeError } from "../../src/base/errors/troupe-error.ts";
import type { FinishReason, ModelChunk } from "../../src/model/model-chunk.ts";
import type { modelProviderCases } from "../../src/testing/conformance/model-provider-cases.ts";
import type { ModelProviderSubject } from "../../src/testing/conformance/model-subject.ts";
import type { WrongSubjects } from "./check-wrong-subjects.ts";
import { chunking, modelBut, streaming } from "./wrong-model.ts";

/** Models with mistakes in answers. */
export const wrongModelAnswers = {
  "names its vendor and its model": () => modelBut(() => ({ providerId: "" })),
  "streams the text unchanged": () => texts((text) => text.trim()),
  "keeps characters whole whose bytes arrive in pieces": () =>
    texts((text) => text.replaceAll(/[\u0080-\u{10ffff}]/gu, "\ufffd")),
  "streams the text in more than one piece": () =>
    streaming(async function* (chunks) {
      const all: ModelChunk[] = [];
      for await (const chunk of chunks) all.push(chunk);
      yield { type: "text", text: all.map((chunk) => (chunk.type === "text" ? chunk.text : "")).join("") };
      yield* all.filter(({ type }) => type !== "text");
    }),
  "yields no empty pieces": () =>
    chunking((chunk) => (chunk.type === "text" ? [{ type: "text", text: "" }, chunk] : [chunk])),
  "ends every stream with exactly one finish chunk, its last": () =>
    chunking((chunk) => (chunk.type === "finish" ? [chunk, chunk] : [chunk])),
  "yields chunks with the fields of the interface and no others": () =>
    chunking((chunk) => [Object.assign(chunk, { raw: { id: "resp_1" } })]),
  "keeps thinking apart from the text": () =>
    chunking((chunk) => (chunk.type === "thinking" ? [{ ...chunk, type: "text" }] : [chunk])),
  "marks vendor state with its provider and model": () =>
    finishing((chunk) => ({ ...chunk, vendorState: { providerId: "other", modelId: "?", items: [] } })),
  "starts and ends each tool call once, with its arguments in between": () =>
    chunking((chunk) => (chunk.type === "tool_call_end" ? [] : [chunk])),
  "streams the arguments of a tool call as JSON": () =>
    chunking((chunk) =>
      chunk.type === "tool_call_delta"
        ? [{ ...chunk, argumentsDelta: chunk.argumentsDelta.replaceAll('"', "'") }]
        : [chunk],
    ),
  "keeps parallel tool calls apart, in their order": () =>
    streaming(async function* (chunks) {
      let first: string | undefined;
      for await (const chunk of chunks) {
        if (chunk.type === "tool_call_start") first ??= chunk.toolCall.id;
        yield chunk.type === "tool_call_delta" ? { ...chunk, toolCallId: first ?? "" } : chunk;
      }
    }),
  "gives tool calls of different answers different ids": () =>
    streaming(async function* (chunks) {
      const ids: string[] = [];
      const numbered = (id: string) => String(ids.includes(id) ? ids.indexOf(id) : ids.push(id) - 1);
      for await (const chunk of chunks) {
        if (chunk.type === "tool_call_start")
          yield { ...chunk, toolCall: { ...chunk.toolCall, id: numbered(chunk.toolCall.id) } };
        else yield "toolCallId" in chunk ? { ...chunk, toolCallId: numbered(chunk.toolCallId) } : chunk;
      }
    }),
  "reads empty arguments as an empty object": () =>
    chunking((chunk) =>
      chunk.type === "tool_call_delta"
        ? [{ ...chunk, argumentsDelta: chunk.argumentsDelta === "{" ? "[" : "]" }]
        : [chunk],
    ),
  "reports truncated arguments and does not guess the rest": () =>
    chunking((chunk) =>
      chunk.type === "tool_call_end"
        ? [{ type: "tool_call_delta", toolCallId: chunk.toolCallId, argumentsDelta: '"}' }, chunk]
        : [chunk],
    ),
  "reports usage with its parts": () =>
    finishing(({ usage, ...chunk }) => {
      const { cachedTokens: _, ...rest } = usage ?? { promptTokens: 0, completionTokens: 0, totalTokens: 0 };
      return { ...chunk, usage: rest };
    }),
  "passes on the vendor's own usage object": () =>
    finishing(({ usage, ...chunk }) => {
      const { providerMetrics: _, ...rest } = usage ?? { promptTokens: 0, completionTokens: 0, totalTokens: 0 };
      return { ...chunk, usage: rest };
    }),
  "finishes a complete answer with stop": () => reasons("other"),
  "finishes an answer at the token limit with length": () => reasons("stop"),
  "finishes a withheld answer with content_filter": () => reasons("stop"),
  "finishes an answer that calls tools with tool_calls": () => reasons("stop"),
  "continues a conversation that has a part it does not support": () =>
    modelBut((right) => ({
      generate: async (messages, options) => {
        if (!messages.some(({ content }) => Array.isArray(content))) return await right.generate(messages, options);
        throw new TroupeError("unsupported_media_type", "This model takes text alone.");
      },
    })),
  "generates the same answer as it streams": () =>
    modelBut((right) => ({
      generate: async (...args) => {
        const response = await right.generate(...args);
        return { ...response, text: response.text.trim().slice(0, 20) };
      },
    })),
} satisfies Partial<WrongSubjects<ModelProviderSubject, typeof modelProviderCases>>;

type FinishChunk = Extract<ModelChunk, { type: "finish" }>;

function texts(change: (text: string) => string): ModelProviderSubject {
  return chunking((chunk) => (chunk.type === "text" ? [{ ...chunk, text: change(chunk.text) }] : [chunk]));
}

function finishing(change: (chunk: FinishChunk) => ModelChunk): ModelProviderSubject {
  return chunking((chunk) => [chunk.type === "finish" ? change(chunk) : chunk]);
}

function reasons(finishReason: FinishReason): ModelProviderSubject {
  return finishing((chunk) => ({ ...chunk, finishReason }));
}
