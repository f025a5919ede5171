import { assert, failureOf, inTime } from "./assert.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import type { ModelCallOptions } from "../../model/model-config.ts";
import type { ModelProvider } from "../../model/model-provider.ts";
import type { ModelResponse } from "../../model/model-response.ts";
import type { ModelChunk } from "../../model/model-chunk.ts";
import type { StreamChunk } from "../../agents/run/stream-chunk.ts";
import { callersKey, modelScenarios } from "./model-scenarios.ts";
import type { ModelScenario, ModelScenarioName } from "./model-scenarios.ts";

/** Outcome of one request to a vendor. `abandoned` means that the provider closed it early. */
export type VendorRequestOutcome = { readonly end: "open" | "completed" | "broken" | "abandoned" };

/** Subject of `modelProviderCases`: a scripted vendor, if there is one, and the provider under test. */
export interface ModelProviderSubject {
  /**
   * Plans one answer of the vendor and returns a provider for it, configured with `configuredApiKey`. `name` selects the
   * answer of a subject with recorded answers. A model without a vendor ignores both arguments, and declares the cases
   * that it cannot pass as gaps.
   */
  provider(scenario: ModelScenario, name: ModelScenarioName): ModelProvider | Promise<ModelProvider>;
  /** Returns the outcome of each request to the vendor. Omitted for a model without a vendor. */
  requests?(): readonly VendorRequestOutcome[];
}

/** Chunks of a stream, and its error if it failed. */
type Streamed = { provider: ModelProvider; chunks: ModelChunk[]; error: unknown };

/** Returns the conversation of a scenario, which is only the user's message. */
function conversationOf(name: ModelScenarioName): ChatMessage[] {
  return [{ role: "user", content: modelScenarios[name].question }];
}

const tools = ["get_weather", "get_time"].map((name) => ({
  name,
  description: `Answers ${name}`,
  parameters: { type: "object", properties: { city: { type: "string" } } },
}));

/** Starts a stream of the provider under test for a scenario, without reading it. */
export async function open(
  subject: ModelProviderSubject,
  name: ModelScenarioName,
  options?: ModelCallOptions,
): Promise<{ provider: ModelProvider; stream: AsyncIterable<ModelChunk> }> {
  const provider = await subject.provider(modelScenarios[name], name);
  return { provider, stream: provider.stream(conversationOf(name), optionsFor(name, options)) };
}

/** Streams a scenario to its end. Returns the chunks, and the error instead of throwing it. */
export async function streamed(subject: ModelProviderSubject, name: ModelScenarioName): Promise<Streamed> {
  const { provider, stream } = await open(subject, name);
  const chunks: ModelChunk[] = [];
  const read = async (): Promise<void> => {
    for await (const chunk of stream) chunks.push(chunk);
  };
  const error = await inTime(
    read().then(
      () => undefined,
      (thrown: unknown) => thrown,
    ),
    5000,
  );
  return { provider, chunks, error };
}

/** Streams a scenario that ends with an answer. Returns the chunks, and asserts that there was no error. */
export async function answer(subject: ModelProviderSubject, name: ModelScenarioName): Promise<ModelChunk[]> {
  const { chunks, error } = await streamed(subject, name);
  assert.equal(error, undefined, `"${name}" failed: ${String(error)}`);
  return chunks;
}

/** Calls `generate` of the provider under test for a scenario. */
export async function generate(
  subject: ModelProviderSubject,
  name: ModelScenarioName,
  options?: ModelCallOptions,
): Promise<ModelResponse> {
  const provider = await subject.provider(modelScenarios[name], name);
  return await inTime(provider.generate(conversationOf(name), optionsFor(name, options)), 5000);
}

/** Returns the outcome of each request to the vendor so far. Fails for a subject without a vendor. */
export function requestsOf(subject: ModelProviderSubject): readonly VendorRequestOutcome[] {
  const requests = subject.requests?.();
  assert.ok(requests, "the subject has no `requests`, by which this case watches the vendor");
  return requests;
}

/** Returns the stream error of a failing scenario, and asserts that `generate` fails with the same code. */
export async function failure(subject: ModelProviderSubject, name: ModelScenarioName): Promise<TroupeError> {
  const { error } = await streamed(subject, name);
  const whole = await failureOf(generate(subject, name));
  assert.ok(TroupeError.is(error), `"${name}" gave no TroupeError in the stream, but ${String(error)}`);
  assert.ok(TroupeError.is(whole), `"${name}" gave no TroupeError, but ${String(whole)}`);
  assert.equal(whole.code, error.code);
  return error;
}

/** Returns the text of the chunks of one type, joined. */
export function textOf(chunks: readonly ModelChunk[], type: "text" | "thinking" = "text"): string {
  return chunks.map((chunk) => (chunk.type === type ? chunk.text : "")).join("");
}

function optionsFor(name: ModelScenarioName, options: ModelCallOptions = {}): ModelCallOptions {
  return {
    tools,
    ...(name !== "server's key refused" && { apiKey: callersKey }),
    ...(name === "thinking" && { reasoning: { enabled: true, effort: "low", budgetTokens: 1024 } }),
    ...options,
  };
}

const fields: Record<StreamChunk["type"], readonly string[]> = {
  text: ["text", "type"],
  thinking: ["text", "type"],
  source: ["id", "title", "toolCallId", "type", "url"],
  tool_call_start: ["toolCall", "type"],
  tool_call_delta: ["argumentsDelta", "toolCallId", "type"],
  tool_call_end: ["toolCallId", "type"],
  tool_progress: ["progress", "toolCallId", "toolName", "type"],
  tool_result: ["artifacts", "durationMs", "error", "result", "toolCallId", "toolName", "type"],
  finish: ["finishReason", "type", "usage"],
};

/** Asserts that no chunk of a run, written as JSON, has unspecified fields. */
export function assertPlainChunks(chunks: readonly StreamChunk[]): void {
  assertFields(chunks, fields);
}

/** Asserts that no chunk of a model, written as JSON, has unspecified fields. */
export function assertModelChunks(chunks: readonly ModelChunk[]): void {
  const ofModel = ["responseId", "model", "answeredBy", "vendorState", "skippedCalls"];
  assertFields(chunks, { ...fields, finish: [...fields.finish, ...ofModel] });
}

function assertFields(chunks: readonly (ModelChunk | StreamChunk)[], known: typeof fields): void {
  for (const chunk of chunks) {
    const extra = Object.keys(JSON.parse(JSON.stringify(chunk)) as object).filter(
      (field) => !known[chunk.type].includes(field),
    );
    assert.deepEqual(extra, [], `a ${chunk.type} chunk has more than its fields`);
  }
}

/** Asserts that a stream has exactly one `finish` chunk, at its end. */
export function assertFinishesOnce(chunks: readonly (ModelChunk | StreamChunk)[]): void {
  const finishes = chunks.filter(({ type }) => type === "finish");
  assert.equal(finishes.length, 1, "a stream has one finish chunk");
  assert.equal(chunks.at(-1)?.type, "finish", "finish is the last chunk");
}

/**
 * Asserts that each tool call starts once, has its arguments, at most one result in the stream of a run, and ends once.
 * Returns the arguments by call id.
 */
export function assertCallGrammar(
  chunks: readonly (ModelChunk | StreamChunk)[],
): Map<string, { name: string; text: string }> {
  const calls = new Map<string, { name: string; text: string; ended: boolean; hasResult: boolean }>();
  for (const chunk of chunks) {
    if (chunk.type === "tool_call_start") {
      assert.ok(chunk.toolCall.id !== "" && !calls.has(chunk.toolCall.id), "each call has a unique id");
      calls.set(chunk.toolCall.id, { name: chunk.toolCall.name, text: "", ended: false, hasResult: false });
    } else if (chunk.type !== "source" && "toolCallId" in chunk) {
      const call = calls.get(chunk.toolCallId);
      assert.ok(call !== undefined && !call.ended, `${chunk.type} comes between the start of its call and its end`);
      assert.ok(!call.hasResult || chunk.type === "tool_call_end", "a result is the last of its call, but for the end");
      if (chunk.type === "tool_call_delta") call.text += chunk.argumentsDelta;
      call.hasResult = chunk.type === "tool_result";
      call.ended = chunk.type === "tool_call_end";
    }
  }
  for (const { name, ended } of calls.values()) assert.ok(ended, `the call of ${name} does not end`);
  return calls;
}
