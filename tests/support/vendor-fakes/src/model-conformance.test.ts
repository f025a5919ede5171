import { checkConformance, modelProviderCases, configuredApiKey } from "@troupe/core/testing";
import type { ModelProviderSubject } from "@troupe/core/testing";
import { describe, it } from "vitest";
import { FakeVendor } from "./fake-vendor.ts";
import { scenarioReply } from "./scenario-reply.ts";
import { MinimalProvider } from "./minimal-provider.ts";

/** Creates a vendor, which is closed after the case. */
async function subject(): Promise<ModelProviderSubject & { close(): Promise<void> }> {
  const vendor = await FakeVendor.start();
  return {
    provider(scenario) {
      const reply = scenarioReply(scenario, { truncated: "openai-chat-truncated.sse" });
      vendor.plan(reply);
      const { idleTimeoutMs } = scenario;
      return new MinimalProvider({ url: vendor.url, apiKey: configuredApiKey, idleTimeoutMs });
    },
    requests: () => vendor.exchanges,
    close: async () => await vendor.close(),
  };
}

describe("MinimalProvider", () => {
  checkConformance(it.concurrent, modelProviderCases, { create: subject, dispose: async (each) => await each.close() });
});
