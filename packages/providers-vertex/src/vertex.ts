import { createGeminiModel, ownerOf, readModelOptions } from "@troupe-internal/gemini";
import type { Identity } from "@troupe-internal/gemini";
import { TroupeError } from "@troupe/core";
import type { ModelProvider } from "@troupe/core";
import { resolveKey } from "@troupe/core/adapter";
import { addressOf } from "./address-of.ts";
import { checkVertexOptions, vertexTable } from "./check-vertex-options.ts";
import { Credentials } from "./credentials.ts";
import type { VertexOptions } from "./vertex-options.ts";

const providerId = "vertex";

/** A model on Google Cloud's platform. Nothing is loaded, read or sent before its first call. */
export function vertex(modelId: string, options: VertexOptions = {}): ModelProvider {
  const settings = readModelOptions(modelId, options, { vendor: providerId, more: vertexTable });
  checkVertexOptions(options);
  const { apiKey: config, project } = options;
  const baseURL = addressOf(modelId, options);
  const credentials = new Credentials(options, baseURL);
  // A key in the environment is for whoever names no project: else the project's own credentials are meant.
  const environment = project === undefined ? ["GOOGLE_API_KEY"] : [];
  return createGeminiModel({
    ...settings,
    providerId,
    baseURL,
    isCloud: true,
    identify: async (request, signal) => {
      const key = resolveKey({ providerId, request, config, environment });
      if (key !== undefined) return ownerOf(key);
      if (project === undefined) throw nobodyAsks();
      return bearerOf(await credentials.headers(signal));
    },
  });
}

/** The owner of a token, which is no caller's. */
function bearerOf(headers: Record<string, string>): Identity {
  const value = /^Bearer (.+)$/i.exec(headers["authorization"] ?? "")?.[1];
  return { key: value === undefined ? undefined : { value, fromCaller: false }, headers };
}

function nobodyAsks(): TroupeError {
  return new TroupeError(
    "unauthorized",
    "vertex needs project and location in its options, or an API key: send the header x-google-api-key, pass apiKey or set GOOGLE_API_KEY.",
    { fields: { vendor: providerId } },
  );
}
