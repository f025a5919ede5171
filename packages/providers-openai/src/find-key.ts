import { requireKey, resolveKey } from "@troupe/core/adapter";
import type { ResolvedKey } from "@troupe/core/adapter";
import { providerId } from "./provider-id.ts";

/**
 * Returns the API key for a call: of the request, else of the options, else, for OpenAI only, `OPENAI_API_KEY`. Without
 * any, OpenAI is `unauthorized`, and another server gets `undefined`.
 */
export function findKey({
  isOpenAI,
  ...sources
}: {
  request: string | undefined;
  config: string | undefined;
  isOpenAI: boolean;
}): ResolvedKey | undefined {
  if (!isOpenAI) return resolveKey({ ...sources, providerId });
  return requireKey({ ...sources, providerId, environment: ["OPENAI_API_KEY"] });
}
