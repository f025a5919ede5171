import { FakeVendor, scenarioReply } from "@troupe-internal/vendor-fakes";
import { checkConformance, modelProviderCases, serversKey } from "@troupe/core/testing";
import type { ModelProviderSubject } from "@troupe/core/testing";
import { describe, it } from "vitest";
import { authClient } from "../test/vendor.ts";
import { vertex } from "./index.ts";
import type { VertexOptions } from "./index.ts";

/** A strict vendor and the models that ask it. */
async function subject(modelId: string, given: VertexOptions) {
  const vendor = await FakeVendor.start({ strict: true });
  const each: ModelProviderSubject = {
    provider({ idleTimeoutMs, ...scenario }) {
      vendor.plan(scenarioReply(scenario, { truncated: "google-truncated.sse" }));
      return vertex(modelId, { ...given, baseURL: vendor.url, ...(idleTimeoutMs !== undefined && { idleTimeoutMs }) });
    },
    requests: () => vendor.exchanges,
  };
  return { ...each, close: async () => await vendor.close() };
}

const project = { project: "troupe-1", location: "global" };

describe.each<[string, string, VertexOptions]>([
  ["gemini-3.8-flash", "a project's credentials", { ...project, credentials: authClient(serversKey) }],
  ["gemini-2.5-pro", "a project's key", { ...project, apiKey: serversKey }],
  ["gemini-3.8-flash", "a key alone", { apiKey: serversKey }],
])("vertex's %s, asked with %s", (modelId, _, options) => {
  checkConformance(it, modelProviderCases, {
    create: async () => await subject(modelId, options),
    dispose: async (each) => await each.close(),
    knownGaps: {
      "reports truncated arguments and does not guess the rest":
        "Gemini tells arguments as an object: whole, or not at all",
    },
  });
});
