import { FakeVendor } from "@troupe-internal/vendor-fakes";
import type { FakeVendorOptions } from "@troupe-internal/vendor-fakes";
import type { ModelProvider } from "@troupe/core";
import { onTestFinished, vi } from "vitest";
import { vertex } from "../src/index.ts";
import type { AuthClient, VertexOptions } from "../src/index.ts";

export { bodiesOf, gather } from "@troupe-internal/vendor-fakes";

/** A client with a fixed token. */
export const authClient = (token = "token-1"): AuthClient => ({
  getRequestHeaders: async () => new Headers({ authorization: `Bearer ${token}` }),
});

/** Options with a project and its credentials. */
export const inProject = (): Pick<VertexOptions, "project" | "location" | "credentials"> => ({
  project: "troupe-1",
  location: "europe-north1",
  credentials: authClient(),
});

/** Starts a fake vendor that stops with the test, strict by default, and returns a function that creates models for it. */
export async function startVendor(options: FakeVendorOptions = {}) {
  const vendor = await FakeVendor.start({ strict: true, ...options });
  onTestFinished(() => vendor.close());
  const connect = (modelId = "gemini-3.8-flash", more: VertexOptions = inProject()): ModelProvider =>
    vertex(modelId, { baseURL: vendor.url, ...more });
  return { vendor, connect };
}

/** Hides every place and credential that this machine may have, and sets variables; the test restores them. */
export function stubNoCloud(variables: Record<string, string> = {}): void {
  const names = ["API_KEY", "CLOUD_PROJECT", "CLOUD_LOCATION", "APPLICATION_CREDENTIALS"].map(
    (name) => `GOOGLE_${name}`,
  );
  for (const name of [...names, "GCLOUD_PROJECT"]) vi.stubEnv(name, "");
  vi.stubEnv("CLOUDSDK_CONFIG", "/nowhere");
  vi.stubEnv("METADATA_SERVER_DETECTION", "none");
  // Without the program that knows the project of the developer.
  vi.stubEnv("PATH", "");
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
}
