import { requireKey, resolveKey } from "@troupe/core/adapter";
import type { ApiKeySource, ResolvedKey } from "@troupe/core/adapter";
import { providerId } from "./provider-id.ts";

type Sources = { baseURL: string; request: string | undefined; config: ApiKeySource | undefined };

/**
 * Returns the API key of a call: that of the request, else of the options, else, for ollama.com only, `OLLAMA_API_KEY`.
 * Without any, ollama.com is `unauthorized`, and another server gets `undefined`.
 */
export async function findKey({ baseURL, ...sources }: Sources): Promise<ResolvedKey | undefined> {
  if (!isOllamaCloud(baseURL)) return await resolveKey({ ...sources, providerId });
  return await requireKey({ ...sources, providerId, environment: ["OLLAMA_API_KEY"] });
}

function isOllamaCloud(baseURL: string): boolean {
  const { protocol, hostname } = new URL(baseURL);
  return protocol === "https:" && hostname === "ollama.com";
}
