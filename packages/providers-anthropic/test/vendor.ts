import { FakeVendor } from "@troupe-internal/vendor-fakes";
import type { FakeVendorOptions } from "@troupe-internal/vendor-fakes";
import type { ModelProvider } from "@troupe/core";
import type { ModelChunk } from "@troupe/core/adapter";
import { onTestFinished } from "vitest";
import { anthropic } from "../src/index.ts";
import type { AnthropicOptions } from "../src/index.ts";

/** Starts a fake vendor that stops with the test, strict by default, and returns a function that creates models for it. */
export async function startVendor(options: FakeVendorOptions = {}) {
  const vendor = await FakeVendor.start({ strict: true, ...options });
  onTestFinished(() => vendor.close());
  const connect = (modelId = "claude-opus-5-5", more: AnthropicOptions = {}): ModelProvider =>
    anthropic(modelId, { apiKey: "key-1", baseURL: vendor.url, ...more });
  return { vendor, connect };
}

/** Returns the bodies that the vendor received. */
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
