import { expect, it } from "vitest";
import { rulesOf } from "./model-rules.ts";
import type { ModelRules } from "./model-rules.ts";

it.each<[string, Partial<ModelRules>]>([
  ["anthropic.claude-v2:1", { tools: "none", images: false, thinking: "none", cachePoints: "none" }],
  ["us.anthropic.claude-3-haiku-20240307-v1:0", { tools: "streamed", thinking: "none", cachePoints: "none" }],
  ["anthropic.claude-3-7-sonnet-20250219-v1:0", { thinking: "budget", sampling: "both", cachePoints: "all" }],
  ["anthropic.claude-opus-4-20250514-v1:0", { thinking: "budget", sampling: "both" }],
  ["anthropic.claude-opus-4-1-20250805-v1:0", { thinking: "budget", sampling: "one" }],
  ["global.anthropic.claude-haiku-4-5-20251001-v1:0", { thinking: "budget", structuredOutput: true }],
  ["anthropic.claude-opus-4-6-v1", { thinking: "adaptive", sampling: "one", structuredOutput: true }],
  ["anthropic.claude-sonnet-4-6", { thinking: "adaptive", structuredOutput: false }],
  ["anthropic.claude-opus-4-8", { thinking: "adaptive", sampling: "none", toolChoice: "named" }],
  ["us.anthropic.claude-fable-5", { thinking: "adaptive", toolChoice: "none" }],
  ["arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-opus-5-5", { thinking: "adaptive" }],
  ["us.amazon.nova-micro-v1:0", { images: false, documents: false, cachePoints: "prompt", plainSchemas: true }],
  ["global.amazon.nova-2-lite-v1:0", { thinking: "effort", images: true }],
  ["meta.llama3-8b-instruct-v1:0", { tools: "none" }],
  ["us.meta.llama3-2-1b-instruct-v1:0", { tools: "none" }],
  ["us.meta.llama3-2-11b-instruct-v1:0", { tools: "whole", images: true }],
  ["us.meta.llama4-scout-17b-instruct-v1:0", { tools: "whole", images: true, toolChoice: "none" }],
  ["mistral.mixtral-8x7b-instruct-v0:1", { tools: "none", systemPrompt: false, callIds: "short" }],
  ["us.mistral.pixtral-large-2502-v1:0", { tools: "whole", images: true, callIds: "short" }],
  ["mistral.mistral-large-2407-v1:0", { tools: "whole", toolChoice: "any" }],
  ["us.deepseek.r1-v1:0", { tools: "none", thinking: "always" }],
  ["deepseek.v3-v1:0", { tools: "streamed", toolChoice: "any", thinking: "none" }],
  [
    "arn:aws:bedrock:us-east-1:1:application-inference-profile/a1",
    { thinking: "none", tools: "streamed", images: true },
  ],
])("knows %s", (modelId, rules) => {
  expect(rulesOf(modelId)).toMatchObject(rules);
});

it("ModelRules lets the options override single rules, but not with undefined", () => {
  const rules = rulesOf("us.deepseek.r1-v1:0", { tools: "whole", thinking: undefined } as object);

  expect(rules).toMatchObject({ tools: "whole", thinking: "always" });
});
