import { checkConformance, modelProviderCases } from "@troupe/core/testing";
import { describe, it } from "vitest";
import { providerSubject } from "../test/provider-subject.ts";

// A call with tools is streamed even when its answer is wanted whole: without them, the whole answer itself is read.
describe("anthropic's claude-opus-5-5, asked without tools", () => {
  checkConformance(it.concurrent, modelProviderCases, {
    create: async () => await providerSubject("claude-opus-5-5"),
    dispose: async (subject) => await subject.close(),
  });
});
