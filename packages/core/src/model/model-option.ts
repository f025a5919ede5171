import { customOption } from "../base/errors/option-checks.ts";
import type { OptionCheck } from "../base/errors/read-options.ts";
import type { ModelProvider } from "./model-provider.ts";

/** Option check for a `ModelProvider`, such as `model` of an agent or a team. */
export const modelOption: OptionCheck<ModelProvider> = customOption(
  "a model provider, like openai(modelId)",
  (value) => {
    if (typeof value !== "object" || value === null) return false;
    const { providerId, modelId, generate, stream } = value as Partial<ModelProvider>;
    const isNamed = typeof providerId === "string" && typeof modelId === "string";
    return isNamed && typeof generate === "function" && typeof stream === "function";
  },
);
