import { FakeVendor } from "@troupe-internal/vendor-fakes";
import type { FakeVendorOptions } from "@troupe-internal/vendor-fakes";
import type { ModelProvider } from "@troupe/core";
import type { ModelChunk } from "@troupe/core/adapter";
import { onTestFinished } from "vitest";
import { ollama } from "../src/index.ts";
import type { OllamaOptions } from "../src/index.ts";

/** Starts a fake server that stops with the test, strict by default, and returns a function that creates models for it. */
export async function startVendor(options: FakeVendorOptions = {}) {
  const vendor = await FakeVendor.start({ strict: true, ...options });
  onTestFinished(() => vendor.close());
  const connect = (modelId = "qwen3:8b", more: OllamaOptions = {}): ModelProvider =>
    ollama(modelId, { baseURL: vendor.url, ...more });
  return { vendor, connect };
}

/** Returns the bodies that the server received. */
export function bodiesOf(vendor: FakeVendor): Record<string, unknown>[] {
  return vendor.exchanges.map(({ request }) => request.body as Record<string, unknown>);
}

/** Collects the chunks of a stream, and the error that ended it. */
export async function gather(stream: AsyncIterable<ModelChunk>): Promise<{ chunks: ModelChunk[]; error: unknown }> {
  const chunks: ModelChunk[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk);
  } catch (error) {
    return { chunks, error };
  }
  return { chunks, error: undefined };
}
