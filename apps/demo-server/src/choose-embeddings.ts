import type { EmbeddingProvider, ModelProvider } from "@troupe/core";
import { googleEmbeddings } from "@troupe/providers-google";
import { openaiEmbeddings } from "@troupe/providers-openai";
import { OfflineEmbeddings } from "@troupe-internal/offline-model";
import { readVariable, requireBeside } from "./read-variable.ts";

type Variables = Readonly<Record<string, string | undefined>>;

const aUrl = { pattern: /^https?:\/\/[^\s]+$/, expected: "a URL such as http://127.0.0.1:8000/v1" };
const aName = { pattern: /^\S.*$/, expected: "the name of a model" };

/**
 * Chooses the embeddings of the knowledge base. TROUPE_DEMO_EMBEDDINGS_URL, the address of any server that speaks
 * OpenAI's API, has priority. It gets no key but TROUPE_DEMO_EMBEDDINGS_KEY. Otherwise uses the embeddings of the
 * model's vendor, OpenAI or Google, if the model is called with the server's key at the vendor's own address. Otherwise
 * uses the offline embeddings, which compare words and need no network.
 */
export function chooseEmbeddings({ providerId }: ModelProvider, variables: Variables): EmbeddingProvider {
  const own = serverEmbeddings(variables);
  if (own !== undefined) return own;
  const isSet = (name: string) => (variables[name] ?? "") !== "";
  if (isSet("TROUPE_DEMO_MODEL_URL")) return new OfflineEmbeddings();
  if (providerId === "openai" && isSet("OPENAI_API_KEY")) return openaiEmbeddings();
  const hasGoogleKey = isSet("GOOGLE_API_KEY") || isSet("GEMINI_API_KEY");
  return providerId === "google" && hasGoogleKey ? googleEmbeddings() : new OfflineEmbeddings();
}

function serverEmbeddings(variables: Variables): EmbeddingProvider | undefined {
  const others = ["TROUPE_DEMO_EMBEDDINGS_MODEL", "TROUPE_DEMO_EMBEDDINGS_KEY"];
  requireBeside(variables, "TROUPE_DEMO_EMBEDDINGS_URL", others);
  const baseURL = readVariable(variables, "TROUPE_DEMO_EMBEDDINGS_URL", aUrl);
  if (baseURL === undefined) return undefined;
  const model = readVariable(variables, "TROUPE_DEMO_EMBEDDINGS_MODEL", aName) ?? "default";
  // Servers without keys ignore the key. Without a key here, the key in OPENAI_API_KEY would be sent.
  const apiKey = variables["TROUPE_DEMO_EMBEDDINGS_KEY"] ?? "none";
  return openaiEmbeddings({ baseURL, model, apiKey });
}
