import { requireKey } from "@troupe/core/adapter";
import type { ResolvedKey } from "@troupe/core/adapter";

/** The id of the provider, under which callers send its key. */
export const providerId = "google";

const environment = ["GOOGLE_API_KEY", "GEMINI_API_KEY"];

/** Returns the URL of the API with its version. */
export function addressOf(baseURL = "https://generativelanguage.googleapis.com"): string {
  return `${baseURL.replace(/\/+$/, "")}/v1beta`;
}

/** Returns the key of a call: the caller's, else the configured one, else that of the environment. */
export function findKey(request: string | undefined, config: string | undefined): ResolvedKey {
  return requireKey({ providerId, request, config, environment });
}
