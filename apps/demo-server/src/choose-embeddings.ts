import type { EmbeddingProvider, ModelProvider } from "@troupe/core";
import { googleEmbeddings } from "@troupe/providers-google";
import { openaiEmbeddings } from "@troupe/providers-openai";
import { OfflineEmbeddings } from "@troupe-internal/offline-model";

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Chooses the embeddings of the knowledge base: those of the model's vendor when it is called with the server's key at its own
 * address, else the offline ones, which compare words and need no network.
 */
export function chooseEmbeddings({ providerId }: ModelProvider, variables: Variables): EmbeddingProvider {
  const isSet = (name: string) => (variables[name] ?? "") !== "";
  if (isSet("TROUPE_DEMO_MODEL_URL")) return new OfflineEmbeddings();
  if (providerId === "openai" && isSet("OPENAI_API_KEY")) return openaiEmbeddings();
  const hasGoogleKey = isSet("GOOGLE_API_KEY") || isSet("GEMINI_API_KEY");
  return providerId === "google" && hasGoogleKey ? googleEmbeddings() : new OfflineEmbeddings();
}
