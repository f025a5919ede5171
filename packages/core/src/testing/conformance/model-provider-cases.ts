import { modelFailureCases, modelSignalCases } from "./model-failure-cases.ts";
import { assert } from "./assert.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import type { ModelResponse } from "../../model/model-response.ts";
import { collectResponse } from "../../model/response-collector.ts";
import type { FinishReason, ModelChunk } from "../../model/model-chunk.ts";
import { parseArguments } from "../../schema/parse-model-json.ts";
import {
  assertCallGrammar,
  assertFinishesOnce,
  assertModelChunks,
  answer,
  generate,
  open,
  streamed,
  textOf,
} from "./model-subject.ts";
import type { ConformanceCases } from "./check-conformance.ts";
import { answeredScenarios, callersKey, modelScenarios } from "./model-scenarios.ts";
import type { ModelScenarioName } from "./model-scenarios.ts";
import type { ModelProviderSubject } from "./model-subject.ts";

/** A conversation with a file that another model accepted. */
const withUnknownFile: ChatMessage[] = [
  { role: "user", content: [{ type: "file", data: "AAAA", mimeType: "application/x-unknown", filename: "plan.xyz" }] },
  { role: "assistant", content: "It is a plan for tomorrow, which is to be wet." },
  { role: "user", content: modelScenarios["plain text"].question },
];

/** Cases of `modelProviderCases` for answers. */
const answerCases = {
  "names its vendor and its model": async (subject) => {
    const { provider } = await open(subject, "plain text");

    assert.match(provider.providerId, /^[a-z][\w-]*$/);
    assert.ok(provider.modelId.length > 0);
  },
  "streams the text unchanged": async (subject) => {
    assert.equal(textOf(await answer(subject, "plain text")), "Take an umbrella.");
    assert.equal(textOf(await answer(subject, "text in many pieces")), "Take an\n\numbrella 😀 é \u2028.");
  },
  "keeps characters whole whose bytes arrive in pieces": async (subject) => {
    assert.equal(textOf(await answer(subject, "one-byte pieces")), "Größe 😀 \u2028 נ");
    const [call] = (await generate(subject, "tool call in one-byte pieces")).toolCalls;
    assert.equal(call?.arguments["city"], "Tromsø 😀");
  },
  "streams the text in more than one piece": async (subject) => {
    const pieces = (await answer(subject, "text in many pieces")).filter(({ type }) => type === "text");

    assert.ok(pieces.length > 1);
  },
  "yields no empty pieces": async (subject) => {
    for (const name of answeredScenarios) {
      for (const chunk of await answer(subject, name)) {
        if (chunk.type === "text" || chunk.type === "thinking") assert.notEqual(chunk.text, "");
        if (chunk.type === "tool_call_delta") assert.notEqual(chunk.argumentsDelta, "");
      }
    }
  },
  "ends every stream with exactly one finish chunk, its last": async (subject) => {
    for (const name of answeredScenarios) assertFinishesOnce(await answer(subject, name));
  },
  "yields chunks with the fields of the interface and no others": async (subject) => {
    for (const name of answeredScenarios) assertModelChunks(await answer(subject, name));
  },
  "keeps thinking apart from the text": async (subject) => {
    const chunks = await answer(subject, "thinking");

    assert.equal(textOf(chunks, "thinking"), "It will rain.");
    assert.equal(textOf(chunks), "Take an umbrella.");
  },
  "marks vendor state with its provider and model": async (subject) => {
    const { provider, chunks } = await streamed(subject, "thinking");
    const finish = chunks.find((chunk) => chunk.type === "finish");
    const state = finish?.vendorState;

    const { providerId, modelId } = provider;
    if (state !== undefined) assert.deepEqual({ ...state, items: 0 }, { providerId, modelId, items: 0 });
  },
  "starts and ends each tool call once, with its arguments in between": async (subject) => {
    for (const name of answeredScenarios) assertCallGrammar(await answer(subject, name));
  },
  "streams the arguments of a tool call as JSON": async (subject) => {
    assert.deepEqual(callsOf(await answer(subject, "one tool call")), expectedCalls("one tool call"));
  },
  "keeps parallel tool calls apart, in their order": async (subject) => {
    const chunks = await answer(subject, "two parallel tool calls");

    assert.deepEqual(callsOf(chunks), expectedCalls("two parallel tool calls"));
  },
  "gives tool calls of different answers different ids": async (subject) => {
    const ids = [await generate(subject, "one tool call"), await generate(subject, "two parallel tool calls")]
      .flatMap(({ toolCalls }) => toolCalls)
      .map(({ id }) => id);

    assert.equal(new Set(ids).size, 3, ids.join(", "));
  },
  "reads empty arguments as an empty object": async (subject) => {
    const response = await generate(subject, "empty arguments");

    assert.deepEqual(
      response.toolCalls.map((call) => call.arguments),
      [{}],
    );
    assert.equal(response.malformedArguments, undefined);
  },
  "reports truncated arguments and does not guess the rest": async (subject) => {
    const { toolCalls, malformedArguments } = await generate(subject, "arguments cut");

    assert.deepEqual(
      toolCalls.map((call) => call.arguments),
      [{}],
    );
    assert.deepEqual(malformedArguments, [{ toolCallId: toolCalls[0]?.id, text: '{"city":"Os' }]);
  },
  "reports usage with its parts": async (subject) => {
    const finish = (await answer(subject, "usage")).find((chunk) => chunk.type === "finish");

    const { providerMetrics: _, ...counted } = finish?.usage ?? {};
    const present = Object.entries(counted).filter(([, count]) => count !== undefined && count !== 0);
    assert.deepEqual(Object.fromEntries(present), modelScenarios.usage.answer.usage);
  },
  "passes on the vendor's own usage object": async (subject) => {
    const { usage } = await generate(subject, "usage");

    assert.ok(Object.keys(usage.providerMetrics ?? {}).length > 0);
  },
  "finishes a complete answer with stop": async (subject) => await finishesWith(subject, "plain text", "stop"),
  "finishes an answer at the token limit with length": async (subject) =>
    await finishesWith(subject, "length", "length"),
  "finishes a withheld answer with content_filter": async (subject) =>
    await finishesWith(subject, "content filter", "content_filter"),
  "finishes an answer that calls tools with tool_calls": async (subject) => {
    await finishesWith(subject, "one tool call", "tool_calls");
    await finishesWith(subject, "two parallel tool calls", "tool_calls");
  },
  "continues a conversation that has a part it does not support": async (subject) => {
    const provider = await subject.provider(modelScenarios["plain text"], "plain text");
    const { text } = await provider.generate(withUnknownFile, { apiKey: callersKey });

    assert.equal(text, "Take an umbrella.");
  },
  "generates the same answer as it streams": async (subject) => {
    for (const name of answeredScenarios) {
      const { stream: chunks } = await open(subject, name);
      assert.deepEqual(comparable(await generate(subject, name)), comparable(await collectResponse(chunks)), name);
    }
  },
} satisfies ConformanceCases<ModelProviderSubject>;

/**
 * Conformance suite for every `ModelProvider`, for `checkConformance`: answers, failures and cancelled calls. The
 * subject simulates the vendor by a script and returns the provider under test.
 */
export const modelProviderCases = { ...answerCases, ...modelFailureCases, ...modelSignalCases };

async function finishesWith(
  subject: ModelProviderSubject,
  name: ModelScenarioName,
  reason: FinishReason,
): Promise<void> {
  const finish = (await answer(subject, name)).find((chunk) => chunk.type === "finish");
  assert.equal(finish?.finishReason, reason);
}

function callsOf(chunks: readonly ModelChunk[]): { name: string; arguments: unknown }[] {
  return [...assertCallGrammar(chunks).values()].map(({ name, text }) => ({
    name,
    arguments: parseArguments(text),
  }));
}

function expectedCalls(name: "one tool call" | "two parallel tool calls"): { name: string; arguments: unknown }[] {
  return modelScenarios[name].answer.toolCalls.map((call) => ({
    name: call.name,
    arguments: { ok: true, value: call.arguments },
  }));
}

/** Returns the parts of an answer that are equal in all repetitions: without ids and signed state. */
function comparable({ text, toolCalls, malformedArguments, thinking, usage, finishReason }: ModelResponse): object {
  const { promptTokens, completionTokens, totalTokens } = usage;
  return {
    text,
    thinking: thinking ?? "",
    finishReason,
    calls: toolCalls.map((call) => ({ name: call.name, arguments: call.arguments })),
    malformed: (malformedArguments ?? []).map((call) => call.text),
    usage: { promptTokens, completionTokens, totalTokens },
  };
}
