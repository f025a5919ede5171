import { FakeVendor, scenarioReply } from "@troupe-internal/vendor-fakes";
import type { ModelProvider } from "@troupe/core";
import { configuredApiKey } from "@troupe/core/testing";
import type { ModelProviderSubject } from "@troupe/core/testing";
import { anthropic } from "../src/index.ts";

/** Removes the tools from calls that use none, so that whole answers are requested as such. */
function withoutTools(model: ModelProvider): ModelProvider {
  return {
    providerId: model.providerId,
    modelId: model.modelId,
    generate: (messages, options) => model.generate(messages, { ...options, tools: [] }),
    stream: (messages, options) => model.stream(messages, { ...options, tools: [] }),
  };
}

/** A strict fake vendor and its models, for core's suite with calls that have no tools unless the answer calls them. */
export async function providerSubject(modelId: string) {
  const vendor = await FakeVendor.start({ strict: true });
  const subject: ModelProviderSubject = {
    provider(scenario) {
      vendor.plan(scenarioReply(scenario, { truncated: "anthropic-truncated.sse" }));
      const { idleTimeoutMs } = scenario;
      const options = { apiKey: configuredApiKey, baseURL: vendor.url };
      const model = anthropic(modelId, { ...options, ...(idleTimeoutMs !== undefined && { idleTimeoutMs }) });
      return scenario.answer?.toolCalls !== undefined ? model : withoutTools(model);
    },
    requests: () => vendor.exchanges,
  };
  return { ...subject, close: async () => await vendor.close() };
}
