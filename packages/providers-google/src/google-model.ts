import { createGeminiModel, readModelOptions } from "@troupe-internal/gemini";
import type { ModelProvider } from "@troupe/core";
import { createOpenCall } from "./access.ts";
import { modelTable, providerId } from "./options.ts";
import type { GoogleOptions } from "./options.ts";

/**
 * Creates a Gemini model that is called through the Gemini API with an API key, or through the client in the options.
 * For models of Google Cloud use `vertex`. Throws `invalid_config` for wrong options.
 */
export function google(modelId: string, options: GoogleOptions = {}): ModelProvider {
  const settings = readModelOptions(modelId, options, { owner: providerId, more: modelTable });
  return createGeminiModel({ ...settings, providerId, isCloud: false, openCall: createOpenCall(settings) });
}
