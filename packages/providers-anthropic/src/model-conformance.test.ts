import { checkConformance, modelProviderCases } from "@troupe/core/testing";
import { describe, it } from "vitest";
import { providerSubject } from "../test/provider-subject.ts";

describe.each([
  ["claude-opus-5-5", { tools: true }],
  ["claude-opus-5-5", { tools: false }],
  ["claude-haiku-4-5", { tools: true }],
])("anthropic's %s, asked with %j", (modelId, asked) => {
  checkConformance(it, modelProviderCases, {
    create: async () => await providerSubject(modelId, asked),
    dispose: async (subject) => await subject.close(),
  });
});
