import { FakeVendor } from "@troupe-internal/vendor-fakes";
import type { FakeVendorOptions } from "@troupe-internal/vendor-fakes";
import type { ModelProvider } from "@troupe/core";
import { onTestFinished } from "vitest";
import { ollama } from "../src/index.ts";
import type { OllamaOptions } from "../src/index.ts";

export { bodiesOf, gather } from "@troupe-internal/vendor-fakes";

/** Starts a fake server that stops with the test, strict by default, and returns a function that creates models for it. */
export async function startVendor(options: FakeVendorOptions = {}) {
  const vendor = await FakeVendor.start({ strict: true, ...options });
  onTestFinished(() => vendor.close());
  const connect = (modelId = "qwen3:8b", more: OllamaOptions = {}): ModelProvider =>
    ollama(modelId, { baseURL: vendor.url, ...more });
  return { vendor, connect };
}
