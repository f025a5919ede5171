import { bedrockDialect, FakeVendor } from "@troupe-internal/vendor-fakes";
import type { FakeVendorOptions } from "@troupe-internal/vendor-fakes";
import type { ModelProvider } from "@troupe/core";
import { onTestFinished, vi } from "vitest";
import { bedrock } from "../src/index.ts";
import type { BedrockOptions } from "../src/index.ts";

export { gather } from "@troupe-internal/vendor-fakes";

/** Starts a fake vendor that stops with the test, strict by default, and returns a function that creates models for it. */
export async function startVendor(options: FakeVendorOptions = {}) {
  const vendor = await FakeVendor.start({ strict: true, dialect: bedrockDialect, ...options });
  onTestFinished(() => vendor.close());
  const connect = (modelId = "us.amazon.nova-pro-v1:0", more: BedrockOptions = { apiKey: "key-1" }): ModelProvider =>
    bedrock(modelId, { baseURL: vendor.url, region: "us-east-1", ...more });
  return { vendor, connect };
}

/** Hides every credential and place that this machine may have, and sets variables; the test restores them. */
export function stubNoCloud(variables: Record<string, string> = {}): void {
  const names = ["ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN", "BEARER_TOKEN_BEDROCK", "REGION"];
  for (const name of [...names, "DEFAULT_REGION", "PROFILE", "WEB_IDENTITY_TOKEN_FILE"]) vi.stubEnv(`AWS_${name}`, "");
  for (const name of ["RELATIVE", "FULL"]) vi.stubEnv(`AWS_CONTAINER_CREDENTIALS_${name}_URI`, "");
  for (const name of ["CONFIG_FILE", "SHARED_CREDENTIALS_FILE"]) vi.stubEnv(`AWS_${name}`, "/nowhere");
  // Without the address that only machines of Amazon have.
  vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}
