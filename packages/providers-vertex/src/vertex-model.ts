import { createGeminiModel, readModelOptions } from "@troupe-internal/gemini";
import type { ModelProvider } from "@troupe/core";
import { createOpenCall } from "./access.ts";
import { checkCloudOptions, cloudTable, providerId, withoutEffect } from "./options.ts";
import type { VertexOptions } from "./options.ts";

/**
 * Creates a model on Google Cloud (Vertex AI), called with a project's credentials or an API key, or through the client
 * in the options. For the Gemini API use `google`. A missing project or location is looked up. Throws `invalid_config`
 * for wrong options.
 */
export function vertex(modelId: string, options: VertexOptions = {}): ModelProvider {
  const settings = readModelOptions(modelId, options, { owner: providerId, more: cloudTable, withoutEffect });
  checkCloudOptions(options, providerId);
  return createGeminiModel({ ...settings, providerId, isCloud: true, openCall: createOpenCall(settings, modelId) });
}
