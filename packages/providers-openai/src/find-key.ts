import { requireKey, resolveKey } from "@troupe/core/adapter";
import type { ResolvedKey } from "@troupe/core/adapter";
import { providerId } from "./provider-id.ts";

/**
 * The key of a call. Other servers than OpenAI's may want none, and are never given the one of the environment: that is
 * OpenAI's, and whoever set it did not name them.
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
