import { FakeVendor, scenarioReply } from "@troupe-internal/vendor-fakes";
import { checkConformance, modelProviderCases, serversKey } from "@troupe/core/testing";
import type { ModelProviderSubject } from "@troupe/core/testing";
import { describe, it } from "vitest";
import { google } from "./index.ts";

/** A strict vendor and the models that ask it. */
async function subject(modelId: string): Promise<ModelProviderSubject & { close(): Promise<void> }> {
  const vendor = await FakeVendor.start({ strict: true });
  return {
    provider({ idleTimeoutMs, ...scenario }) {
      vendor.plan(scenarioReply(scenario, { truncated: "google-truncated.sse" }));
      const options = { apiKey: serversKey, baseURL: vendor.url };
      return google(modelId, { ...options, ...(idleTimeoutMs !== undefined && { idleTimeoutMs }) });
    },
    requests: () => vendor.exchanges,
    close: async () => await vendor.close(),
  };
}

describe.each(["gemini-3.8-flash", "gemini-2.5-flash"])("google's %s", (modelId) => {
  checkConformance(it, modelProviderCases, {
    create: async () => await subject(modelId),
    dispose: async (each) => await each.close(),
    knownGaps: {
      "reports truncated arguments and does not guess the rest":
        "Gemini tells arguments as an object: whole, or not at all",
    },
  });
});
