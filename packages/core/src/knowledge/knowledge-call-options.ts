import { checkApiKey } from "../model/keys/api-keys.ts";
import type { ApiKeys } from "../model/keys/api-keys.ts";
import { bindGenericKey, selectKey } from "../model/keys/select-key.ts";
import type { EmbeddingProvider, EmbedOptions } from "./vector/embedding-provider.ts";

/** Options of a call of a `KnowledgeBase` that may embed text: API keys for the embeddings, and a signal. */
export type KnowledgeCallOptions = {
  /** An API key for the vendor of the embeddings. */
  apiKey?: string | undefined;
  /** API keys by vendor. The embeddings receive only their own vendor's key. */
  apiKeys?: ApiKeys | undefined;
  /** Signal that cancels the call of the knowledge base. */
  signal?: AbortSignal | undefined;
};

/** The names of the options in `KnowledgeCallOptions`, by which unknown options are rejected. */
export const knowledgeCallOptionNames = { apiKey: true, apiKeys: true, signal: true } satisfies Record<
  keyof KnowledgeCallOptions,
  true
>;

/** Returns the options of an embedding call: the API key for the embeddings' vendor, if given, and the signal. */
export function toEmbedOptions(embeddings: EmbeddingProvider | undefined, call: KnowledgeCallOptions): EmbedOptions {
  const apiKey = keyOf(call, embeddings?.providerId);
  return {
    ...(apiKey !== undefined && { apiKey }),
    ...(call.signal !== undefined && { signal: call.signal }),
  };
}

// Embeddings without a `providerId` receive only the call's own `apiKey`.
function keyOf({ apiKey, apiKeys = {} }: KnowledgeCallOptions, providerId: string | undefined): string | undefined {
  if (providerId !== undefined) return selectKey(bindGenericKey(apiKeys, apiKey, providerId), providerId);
  return apiKey === undefined ? undefined : checkApiKey(apiKey, "apiKey");
}
