import { createGeminiModel, ownerOf, readModelOptions } from "@troupe-internal/gemini";
import type { ModelProvider } from "@troupe/core";
import type { GoogleOptions } from "./google-options.ts";
import { addressOf, findKey, providerId } from "./reach-google.ts";

/** Creates a Google model over the Gemini API. Its first call loads the vendor's library. */
export function google(modelId: string, options: GoogleOptions = {}): ModelProvider {
  const settings = readModelOptions(modelId, options, { vendor: providerId });
  return createGeminiModel({
    ...settings,
    providerId,
    baseURL: addressOf(options.baseURL),
    isCloud: false,
    identify: (apiKey) => ownerOf(findKey(apiKey, options.apiKey)),
  });
}
