import { createGeminiModel, readModelOptions } from "@troupe-internal/gemini";
import type { ModelProvider } from "@troupe/core";
import { Network } from "@troupe/core/adapter";
import { createOpenCall } from "./access.ts";
import { checkCloudOptions, cloudTable, providerId } from "./vertex-options.ts";
import type { VertexOptions } from "./vertex-options.ts";

/**
 * Creates a model on Google Cloud (Vertex AI), called with a project's credentials or an API key, or through the client
 * in the options; `google` calls the Gemini API. Project and location are looked up where they are not given. Throws
 * `invalid_config` for wrong options.
 */
export function vertex(modelId: string, options: VertexOptions = {}): ModelProvider {
  const settings = readModelOptions(modelId, options, { vendor: providerId, more: cloudTable });
  checkCloudOptions(options, providerId);
  const network = new Network(options);
  const openCall = createOpenCall(network, { ...options, modelId });
  return createGeminiModel({ ...settings, providerId, isCloud: true, network, openCall });
}
