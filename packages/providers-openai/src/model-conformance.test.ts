import { FakeVendor, readTranscript, scenarioReply } from "@troupe-internal/vendor-fakes";
import type { PlannedReply } from "@troupe-internal/vendor-fakes";
import { checkConformance, modelProviderCases, serversKey } from "@troupe/core/testing";
import type { ModelProviderSubject, ModelScenario } from "@troupe/core/testing";
import { describe, it } from "vitest";
import { openai } from "./index.ts";

type Subject = ModelProviderSubject & { close(): Promise<void> };
type Setup = { modelId: string; api: "chat" | "responses"; truncated: PlannedReply };

/** A vendor that refuses what the real one would refuse, and models that ask it. */
async function createSubject({ modelId, api, truncated }: Setup): Promise<Subject> {
  const vendor = await FakeVendor.start({ strict: true });
  const replyTo = (scenario: ModelScenario): PlannedReply =>
    scenario.fault?.kind === "end" ? truncated : scenarioReply(scenario, { truncated: "" });
  return {
    provider(scenario) {
      vendor.plan(replyTo(scenario));
      const { idleTimeoutMs } = scenario;
      const idle = idleTimeoutMs === undefined ? {} : { idleTimeoutMs };
      return openai(modelId, { apiKey: serversKey, baseURL: `${vendor.url}/v1`, api, ...idle });
    },
    requests: () => vendor.exchanges,
    close: () => vendor.close(),
  };
}

/** A recorded answer without its last event. */
function cutTranscript(name: string): PlannedReply {
  const reply = readTranscript(name);
  const events = reply.frames.join("").split(/(?<=\n\n)/);
  return { raw: { ...reply, frames: events.slice(0, -1) } };
}

const dispose = (subject: Subject): Promise<void> => subject.close();

describe("a model of OpenAI over Responses", () => {
  const truncated = cutTranscript("openai-responses-text.sse");
  const create = () => createSubject({ modelId: "gpt-6.1-sol", api: "responses", truncated });
  checkConformance(it, modelProviderCases, { create, dispose });
});

describe("a model over Chat Completions", () => {
  const truncated = { transcript: "openai-chat-truncated.sse" };
  const create = () => createSubject({ modelId: "gpt-4.1", api: "chat", truncated });
  checkConformance(it, modelProviderCases, { create, dispose });
});
