import { requireKey } from "@troupe/core/adapter";
import type { ResolvedKey } from "@troupe/core/adapter";

/** The vendor, and the name its key goes by. */
export const providerId = "google";

const environment = ["GOOGLE_API_KEY", "GEMINI_API_KEY"];

/** The address of the interface, in the version that has all of it. */
export function addressOf(baseURL = "https://generativelanguage.googleapis.com"): string {
  return `${baseURL.replace(/\/+$/, "")}/v1beta`;
}

/** The key of a call: the caller's, else the configured one, else the environment's. */
export function findKey(request: string | undefined, config: string | undefined): ResolvedKey {
  return requireKey({ providerId, request, config, environment });
}
