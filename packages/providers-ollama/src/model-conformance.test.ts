import { FakeVendor, scenarioReply } from "@troupe-internal/vendor-fakes";
import { checkConformance, modelProviderCases, serversKey } from "@troupe/core/testing";
import type { ModelProviderSubject } from "@troupe/core/testing";
import { describe, it } from "vitest";
import { ollama } from "./index.ts";

type Subject = ModelProviderSubject & { close(): Promise<void> };

/** A server that refuses what the real one would refuse, and models that ask it. */
async function create(): Promise<Subject> {
  const vendor = await FakeVendor.start({ strict: true });
  return {
    provider(scenario) {
      vendor.plan(scenarioReply(scenario, { truncated: "ollama-truncated.ndjson" }));
      const { idleTimeoutMs } = scenario;
      const options = { apiKey: serversKey, baseURL: vendor.url };
      return ollama("qwen3:8b", { ...options, ...(idleTimeoutMs !== undefined && { idleTimeoutMs }) });
    },
    requests: () => vendor.exchanges,
    close: () => vendor.close(),
  };
}

describe("a model that Ollama runs", () => {
  checkConformance(it, modelProviderCases, {
    create,
    dispose: (subject) => subject.close(),
    knownGaps: {
      "reports truncated arguments and does not guess the rest":
        "the server sends the arguments of a call as an object, whole or not at all",
      "reports usage with its parts": "the server counts what it reads and writes, and no parts of it",
      "finishes a withheld answer with content_filter": "the server withholds nothing",
    },
  });
});
