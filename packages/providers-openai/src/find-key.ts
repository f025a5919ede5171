import { requireKey, resolveKey } from "@troupe/core/adapter";
import type { ResolvedKey } from "@troupe/core/adapter";
import { providerId } from "./provider-id.ts";

/** The key of a call. Servers other than OpenAI's may want none. */
export function findKey({
  isOpenAI,
  ...sources
}: {
  request: string | undefined;
  config: string | undefined;
  isOpenAI: boolean;
}): ResolvedKey | undefined {
  const all = { ...sources, providerId, environment: ["OPENAI_API_KEY"] };
  return isOpenAI ? requireKey(all) : resolveKey(all);
}
