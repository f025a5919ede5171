import { FakeVendor } from "@troupe-internal/vendor-fakes";
import type { FakeVendorOptions } from "@troupe-internal/vendor-fakes";
import { TroupeError } from "@troupe/core";
import type { ChatMessage, ModelOptions, ModelProvider, ModelResponse } from "@troupe/core";
import { collectResponse } from "@troupe/core/provider";
import type { ModelChunk } from "@troupe/core/provider";
import { onTestFinished } from "vitest";
import { openai } from "../src/index.ts";
import type { OpenAIOptions } from "../src/index.ts";

/** Starts a fake vendor that stops with the test, strict by default. */
export async function startVendor(options: FakeVendorOptions = {}): Promise<FakeVendor> {
  const vendor = await FakeVendor.start({ strict: true, ...options });
  onTestFinished(() => vendor.close());
  return vendor;
}

/** Creates a model of this vendor, over Responses by default. */
export function modelOf(vendor: FakeVendor, config: OpenAIOptions & { modelId?: string } = {}): ModelProvider {
  const { modelId = config.api === "chat" ? "gpt-4.1" : "gpt-6.1-sol", ...rest } = config;
  return openai(modelId, { apiKey: "sk-test-key", baseURL: `${vendor.url}/v1`, api: "responses", ...rest });
}

/** A conversation of one question. */
export const question: ChatMessage[] = [{ role: "user", content: "Umbrella?" }];

/** Collects the stream of a call. */
export async function streamed(
  model: ModelProvider,
  options?: ModelOptions,
  messages: readonly ChatMessage[] = question,
): Promise<ModelChunk[]> {
  const chunks: ModelChunk[] = [];
  for await (const chunk of model.stream(messages, options)) chunks.push(chunk);
  return chunks;
}

/** Returns the `TroupeError` that a promise rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<TroupeError & { [field: string]: unknown }> {
  const outcome: unknown = await promise.then(
    () => new Error("It succeeded."),
    (error: unknown) => error,
  );
  if (TroupeError.is(outcome)) return outcome as TroupeError & { [field: string]: unknown };
  throw outcome;
}

/** Returns the body of the last request. */
export function lastBody(vendor: FakeVendor): Record<string, unknown> {
  return vendor.exchanges.at(-1)?.request.body as Record<string, unknown>;
}

/** Returns the result of events that a server sends. */
export async function streamOf(
  events: readonly (object | string)[],
  api: "chat" | "responses",
): Promise<ModelResponse> {
  const vendor = await startVendor({ strict: false });
  const frames = events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
  vendor.plan({ raw: { status: 200, headers: { "content-type": "text/event-stream" }, frames } });
  const format = api === "responses" ? { responseFormat: "json" as const } : {};
  return await collectResponse(modelOf(vendor, { api }).stream(question, format));
}

/** Returns the result of a whole answer. */
export async function wholeOf(body: object, api: "chat" | "responses"): Promise<ModelResponse> {
  const vendor = await startVendor({ strict: false });
  const headers = { "content-type": "application/json" };
  vendor.plan({ raw: { status: 200, headers, frames: [JSON.stringify(body)] } });
  const format = api === "responses" ? { responseFormat: "json" as const } : {};
  return await modelOf(vendor, { api }).generate(question, format);
}
