import { requireKey, resolveKey } from "@troupe/core/adapter";
import type { ResolvedKey } from "@troupe/core/adapter";
import { providerId } from "./provider-id.ts";

/** Returns the key of a call. The key in the environment is for OpenAI, and never sent to other servers. */
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
