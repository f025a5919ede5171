import { FakeVendor } from "@troupe-internal/vendor-fakes";
import type { FakeVendorOptions } from "@troupe-internal/vendor-fakes";
import type { ModelProvider } from "@troupe/core";
import { onTestFinished } from "vitest";
import { google } from "../src/index.ts";
import type { GoogleOptions } from "../src/index.ts";

export { bodiesOf, gather } from "@troupe-internal/vendor-fakes";

/** Starts a fake vendor that stops with the test, strict by default, and returns a function that creates models for it. */
export async function startVendor(options: FakeVendorOptions = {}) {
  const vendor = await FakeVendor.start({ strict: true, ...options });
  onTestFinished(() => vendor.close());
  const connect = (modelId = "gemini-3.8-flash", more: GoogleOptions = {}): ModelProvider =>
    google(modelId, { apiKey: "key-1", baseURL: vendor.url, ...more });
  return { vendor, connect };
}
