import type { EmbeddingProvider, ModelProvider } from "@troupe/core";
import { googleEmbeddings } from "@troupe/providers-google";
import { openaiEmbeddings } from "@troupe/providers-openai";
import { OfflineEmbeddings } from "@troupe-internal/offline-model";

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Chooses the embeddings of the knowledge base. Uses those of the model's vendor, OpenAI or Google, if the model is
 * called with the server's key at the vendor's own address. Otherwise uses the offline embeddings, which compare words
 * and need no network.
 */
export function chooseEmbeddings({ providerId }: ModelProvider, variables: Variables): EmbeddingProvider {
  const isSet = (name: string) => (variables[name] ?? "") !== "";
  if (isSet("TROUPE_DEMO_MODEL_URL")) return new OfflineEmbeddings();
  if (providerId === "openai" && isSet("OPENAI_API_KEY")) return openaiEmbeddings();
  const hasGoogleKey = isSet("GOOGLE_API_KEY") || isSet("GEMINI_API_KEY");
  return providerId === "google" && hasGoogleKey ? googleEmbeddings() : new OfflineEmbeddings();
}
