import { createGeminiModel, readModelOptions } from "@troupe-internal/gemini";
import type { ModelProvider } from "@troupe/core";
import { Network } from "@troupe/core/adapter";
import { createOpenCall } from "./access.ts";
import { providerId } from "./google-options.ts";
import type { GoogleOptions } from "./google-options.ts";

/**
 * Creates a Gemini model that is called through the Gemini API with an API key, or through the client in the options;
 * `vertex` calls the models of Google Cloud. Throws `invalid_config` for wrong options.
 */
export function google(modelId: string, options: GoogleOptions = {}): ModelProvider {
  const settings = readModelOptions(modelId, options, { vendor: providerId });
  const network = new Network(options);
  const openCall = createOpenCall(network, options);
  return createGeminiModel({ ...settings, providerId, isCloud: false, network, openCall });
}
