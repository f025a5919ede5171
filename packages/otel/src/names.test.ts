import { expect, it } from "vitest";
import { providerName } from "./names.ts";

it.each([
  ["google", "gcp.gemini"],
  ["vertex", "gcp.vertex_ai"],
  ["bedrock", "aws.bedrock"],
  ["azure", "azure.ai.openai"],
  ["mistral", "mistral_ai"],
  ["xai", "x_ai"],
  ["watsonx", "ibm.watsonx.ai"],
  ["moonshot", "moonshot_ai"],
  ["openai", "openai"],
  ["toString", "toString"],
])("the vendor %s is called %s", (providerId, name) => {
  expect(providerName(providerId)).toBe(name);
});
