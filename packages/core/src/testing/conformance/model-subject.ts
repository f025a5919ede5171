import { assert } from "./assert.ts";
import { TroupeError } from "../../errors/troupe-error.ts";
import type { ChatMessage } from "../../message/message.ts";
import type { ModelOptions } from "../../model/model-config.ts";
import type { ModelProvider } from "../../model/model-provider.ts";
import type { ModelResponse } from "../../model/model-response.ts";
import type { ModelChunk } from "../../model/model-chunk.ts";
import { callersKey, modelScenarios } from "./model-scenarios.ts";
import type { ModelScenario, ModelScenarioName } from "./model-scenarios.ts";
import { failureOf } from "./rejects-with.ts";
import { inTime } from "./wait.ts";

/** A vendor that can be told what to do, and the provider that asks it. */
export interface ModelProviderSubject {
  /**
   * Plans one answer of the vendor and returns a provider for it, which is made with `serversKey`. The name is for
   * subjects that have a recorded answer for a scenario.
   */
  provider(scenario: ModelScenario, name: ModelScenarioName): ModelProvider | Promise<ModelProvider>;
  /** How each request to the vendor ended; `left` means that whoever asked went first. */
  requests(): readonly { readonly end: "open" | "completed" | "broken" | "left" }[];
}

/** What a stream gave before it ended, and what it failed with if it did. */
export type Streamed = { provider: ModelProvider; chunks: ModelChunk[]; error: unknown };

const question: ChatMessage[] = [{ role: "user", content: "Do I need an umbrella in Oslo?" }];
const tools = ["get_weather", "get_time"].map((name) => ({
  name,
  description: `Answers ${name}`,
  parameters: { type: "object", properties: { city: { type: "string" } } },
}));

/** Starts a stream of the scenario. */
export async function open(
  subject: ModelProviderSubject,
  name: ModelScenarioName,
  options?: ModelOptions,
): Promise<{ provider: ModelProvider; stream: AsyncIterable<ModelChunk> }> {
  const provider = await subject.provider(modelScenarios[name], name);
  return { provider, stream: provider.stream(question, optionsFor(name, options)) };
}

/** Streams the scenario to its end. */
export async function stream(subject: ModelProviderSubject, name: ModelScenarioName): Promise<Streamed> {
  const { provider, stream: source } = await open(subject, name);
  const chunks: ModelChunk[] = [];
  const read = async (): Promise<void> => {
    for await (const chunk of source) chunks.push(chunk);
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

/** Streams a scenario that ends with an answer. */
export async function answer(subject: ModelProviderSubject, name: ModelScenarioName): Promise<ModelChunk[]> {
  const { chunks, error } = await stream(subject, name);
  assert.equal(error, undefined, `"${name}" failed: ${String(error)}`);
  return chunks;
}

/** Asks for the scenario's whole answer. */
export async function generate(
  subject: ModelProviderSubject,
  name: ModelScenarioName,
  options?: ModelOptions,
): Promise<ModelResponse> {
  const provider = await subject.provider(modelScenarios[name], name);
  return await inTime(provider.generate(question, optionsFor(name, options)), 5000);
}

/** The error of a scenario that fails: the stream's, once it is sure that `generate` fails with the same code. */
export async function failure(subject: ModelProviderSubject, name: ModelScenarioName): Promise<TroupeError> {
  const { error } = await stream(subject, name);
  const whole = await failureOf(generate(subject, name));
  assert.ok(TroupeError.is(error), `"${name}" gave no TroupeError in the stream, but ${String(error)}`);
  assert.ok(TroupeError.is(whole), `"${name}" gave no TroupeError, but ${String(whole)}`);
  assert.equal(whole.code, error.code);
  return error;
}

/** The text that the chunks make up. */
export function textOf(chunks: readonly ModelChunk[], type: "text" | "thinking" = "text"): string {
  return chunks.map((chunk) => (chunk.type === type ? chunk.text : "")).join("");
}

function optionsFor(name: ModelScenarioName, options: ModelOptions = {}): ModelOptions {
  return {
    tools,
    ...(name !== "server's key refused" && { apiKey: callersKey }),
    ...(name === "thinking" && { reasoning: { enabled: true, effort: "low", budgetTokens: 1024 } }),
    ...options,
  };
}
