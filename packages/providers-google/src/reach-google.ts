import { requireKey } from "@troupe/core/adapter";
import type { ApiKeySource, ResolvedKey } from "@troupe/core/adapter";

/** The id of this provider, which errors name and under which callers send its key. */
export const providerId = "google";

const environment = ["GOOGLE_API_KEY", "GEMINI_API_KEY"];

/** Returns the URL of the Gemini API with its version (`/v1beta`), at Google or at the given address. */
export function addressOf(baseURL = "https://generativelanguage.googleapis.com"): string {
  return `${baseURL.replace(/\/+$/, "")}/v1beta`;
}

/**
 * Returns the API key of a call: that of the request, else of the options, else of the environment (`GOOGLE_API_KEY`,
 * then `GEMINI_API_KEY`). Throws `unauthorized` when there is none.
 */
export async function findKey(request: string | undefined, config: ApiKeySource | undefined): Promise<ResolvedKey> {
  return await requireKey({ providerId, request, config, environment });
}
