import { TroupeError } from "../../src/errors/troupe-error.ts";
import type { FinishReason, ModelChunk } from "../../src/model/model-chunk.ts";
import type { modelAnswerCases } from "../../src/testing/conformance/model-answer-cases.ts";
import type { ModelProviderSubject } from "../../src/testing/conformance/model-subject.ts";
import type { WrongSubjects } from "./check-wrong-subjects.ts";
import { chunking, modelBut, streaming } from "./wrong-model.ts";

/** Models that answer wrongly. */
export const wrongModelAnswers = {
  "names its vendor and its model": () => modelBut(() => ({ providerId: "" })),
  "streams the text as it was said": () => texts((text) => text.trim()),
  // oxlint-disable-next-line no-control-regex -- all that is ASCII
  "keeps characters whole that arrive in pieces": () => texts((text) => text.replaceAll(/[^\x00-\x7f]/gu, "\ufffd")),
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
  "yields chunks that hold what the interface says and no more": () =>
    chunking((chunk) => [Object.assign(chunk, { raw: { id: "resp_1" } })]),
  "keeps thinking apart from the text": () =>
    chunking((chunk) => (chunk.type === "thinking" ? [{ ...chunk, type: "text" }] : [chunk])),
  "marks what the vendor wants back as its own": () =>
    finishing((chunk) => ({ ...chunk, vendorState: { providerId: "other", modelId: "?", items: [] } })),
  "starts, tells and ends each tool call once": () =>
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
  "takes empty arguments for an empty object": () =>
    chunking((chunk) =>
      chunk.type === "tool_call_delta"
        ? [{ ...chunk, argumentsDelta: chunk.argumentsDelta === "{" ? "[" : "]" }]
        : [chunk],
    ),
  "reports arguments that were cut, and does not guess the rest": () =>
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
  "hands on the vendor's own usage": () =>
    finishing(({ usage, ...chunk }) => {
      const { providerMetrics: _, ...rest } = usage ?? { promptTokens: 0, completionTokens: 0, totalTokens: 0 };
      return { ...chunk, usage: rest };
    }),
  "says that an answer is complete": () => reasons("other"),
  "says that an answer met the token limit": () => reasons("stop"),
  "says that an answer was withheld": () => reasons("stop"),
  "says that an answer waits for tools": () => reasons("stop"),
  "goes on with a conversation that holds what it does not take": () =>
    modelBut((right) => ({
      generate: async (messages, options) => {
        if (!messages.some(({ content }) => Array.isArray(content))) return await right.generate(messages, options);
        throw new TroupeError("unsupported_media_type", "This model takes text alone.");
      },
    })),
  "generates what it streams": () =>
    modelBut((right) => ({
      generate: async (...args) => {
        const response = await right.generate(...args);
        return { ...response, text: response.text.trim().slice(0, 20) };
      },
    })),
} satisfies WrongSubjects<ModelProviderSubject, typeof modelAnswerCases>;

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
