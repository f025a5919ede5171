import { checkApiKey } from "../keys/api-keys.ts";
import type { ApiKeys } from "../keys/api-keys.ts";
import { bindGenericKey, selectKey } from "../keys/select-key.ts";
import type { EmbeddingProvider, EmbedOptions } from "../vector/embedding-provider.ts";

/** What a call that may embed text is given. */
export type KnowledgeCall = {
  /** A key for the vendor of the embeddings. */
  apiKey?: string;
  /** One key per vendor; the embeddings get that of their own vendor and no other. */
  apiKeys?: ApiKeys;
  /** Ends the call as cancelled. */
  signal?: AbortSignal;
};

/** The names of what a call is given. */
export const callOptions = ["apiKey", "apiKeys", "signal"] as const satisfies (keyof KnowledgeCall)[];

/** What the embeddings are told of a call: the key of their vendor, and the signal. */
export function toEmbedOptions(embeddings: EmbeddingProvider | undefined, call: KnowledgeCall): EmbedOptions {
  const apiKey = keyOf(call, embeddings?.providerId);
  return {
    ...(apiKey !== undefined && { apiKey }),
    ...(call.signal !== undefined && { signal: call.signal }),
  };
}

/** Embeddings that do not say whose they are can only be meant by the key that was given to this very call. */
function keyOf({ apiKey, apiKeys = {} }: KnowledgeCall, providerId: string | undefined): string | undefined {
  if (providerId !== undefined) return selectKey(bindGenericKey(apiKeys, apiKey, providerId), providerId);
  return apiKey === undefined ? undefined : checkApiKey(apiKey, "apiKey");
}
