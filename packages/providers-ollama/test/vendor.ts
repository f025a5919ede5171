import { FakeVendor } from "@troupe-internal/vendor-fakes";
import type { FakeVendorOptions } from "@troupe-internal/vendor-fakes";
import type { ModelProvider } from "@troupe/core";
import type { ModelChunk } from "@troupe/core/adapter";
import { onTestFinished } from "vitest";
import { ollama } from "../src/index.ts";
import type { OllamaOptions } from "../src/index.ts";

/** A server that ends with the test, strict unless it is told otherwise, and a way to make models that ask it. */
export async function startVendor(options: FakeVendorOptions = {}) {
  const vendor = await FakeVendor.start({ strict: true, ...options });
  onTestFinished(() => vendor.close());
  const connect = (modelId = "qwen3:8b", more: OllamaOptions = {}): ModelProvider =>
    ollama(modelId, { baseURL: vendor.url, ...more });
  return { vendor, connect };
}

/** The bodies that arrived. */
export function bodiesOf(vendor: FakeVendor): Record<string, unknown>[] {
  return vendor.exchanges.map(({ request }) => request.body as Record<string, unknown>);
}

/** The chunks of a stream, and what it failed with. */
export async function gather(stream: AsyncIterable<ModelChunk>): Promise<{ chunks: ModelChunk[]; error: unknown }> {
  const chunks: ModelChunk[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk);
  } catch (error) {
    return { chunks, error };
  }
  return { chunks, error: undefined };
}
