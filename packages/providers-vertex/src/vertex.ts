import { createGeminiModel, credentialsOfKey, readModelOptions } from "@troupe-internal/gemini";
import type { CallCredentials } from "@troupe-internal/gemini";
import { TroupeError } from "@troupe/core";
import type { ModelProvider } from "@troupe/core";
import { resolveKey } from "@troupe/core/adapter";
import { addressOf } from "./address-of.ts";
import { checkVertexOptions, vertexTable } from "./check-vertex-options.ts";
import { Credentials } from "./credentials.ts";
import type { VertexOptions } from "./vertex-options.ts";

const providerId = "vertex";

/**
 * Creates a model on Google Cloud (Vertex AI), called with a project's credentials or an API key; `google` calls the
 * Gemini API. Throws `invalid_config` for wrong options.
 */
export function vertex(modelId: string, options: VertexOptions = {}): ModelProvider {
  const settings = readModelOptions(modelId, options, { vendor: providerId, more: vertexTable });
  checkVertexOptions(options);
  const { apiKey: config, project } = options;
  const baseURL = addressOf(modelId, options);
  const credentials = new Credentials(options, baseURL);
  // With a project, its credentials are used, and a key in the environment is not.
  const environment = project === undefined ? ["GOOGLE_API_KEY"] : [];
  return createGeminiModel({
    ...settings,
    providerId,
    baseURL,
    isCloud: true,
    findCredentials: async (request, signal) => {
      const key = await resolveKey({ providerId, request, config, environment });
      if (key !== undefined) return credentialsOfKey(key);
      if (project === undefined) throw missingCredentials();
      return credentialsOfToken(await credentials.headers(signal));
    },
  });
}

/** Returns the credentials for a token, which belongs to the server and not to a caller. */
function credentialsOfToken(headers: Record<string, string>): CallCredentials {
  const value = /^Bearer (.+)$/i.exec(headers["authorization"] ?? "")?.[1];
  return { key: value === undefined ? undefined : { value, fromCaller: false }, headers };
}

function missingCredentials(): TroupeError {
  return new TroupeError(
    "unauthorized",
    "vertex needs project and location in its options, or an API key: send the header x-google-api-key, pass apiKey or set GOOGLE_API_KEY.",
    { fields: { vendor: providerId } },
  );
}
