import { requireKey, resolveKey } from "@troupe/core/adapter";
import type { ApiKeySource, ResolvedKey } from "@troupe/core/adapter";
import { providerId } from "./provider-id.ts";

/**
 * Returns the API key for a call: of the request, else of the options, else, for OpenAI only, `OPENAI_API_KEY`. Without
 * any, OpenAI is `unauthorized`, and another server gets `undefined`.
 */
export async function findKey({
  isOpenAI,
  ...sources
}: {
  request: string | undefined;
  config: ApiKeySource | undefined;
  isOpenAI: boolean;
}): Promise<ResolvedKey | undefined> {
  if (!isOpenAI) return await resolveKey({ ...sources, providerId });
  return await requireKey({ ...sources, providerId, environment: ["OPENAI_API_KEY"] });
}
