import { createGeminiModel, credentialsOfKey, readModelOptions } from "@troupe-internal/gemini";
import type { ModelProvider } from "@troupe/core";
import type { GoogleOptions } from "./google-options.ts";
import { addressOf, findKey, providerId } from "./reach-google.ts";

/**
 * Creates a Gemini model that is called through the Gemini API with an API key; `vertex` calls the models of Google
 * Cloud. Throws `invalid_config` for wrong options.
 */
export function google(modelId: string, options: GoogleOptions = {}): ModelProvider {
  const settings = readModelOptions(modelId, options, { vendor: providerId });
  return createGeminiModel({
    ...settings,
    providerId,
    baseURL: addressOf(options.baseURL),
    isCloud: false,
    findCredentials: async (apiKey) => credentialsOfKey(await findKey(apiKey, options.apiKey)),
  });
}
