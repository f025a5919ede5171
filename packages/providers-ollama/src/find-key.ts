import { requireKey, resolveKey } from "@troupe/core/adapter";
import type { ResolvedKey } from "@troupe/core/adapter";
import { providerId } from "./provider-id.ts";

type Sources = { baseURL: string; request: string | undefined; config: string | undefined };

/**
 * Returns the API key of a call: that of the request, else of the options, else, for ollama.com only, `OLLAMA_API_KEY`.
 * Without any, ollama.com is `unauthorized`, and another server gets `undefined`.
 */
export function findKey({ baseURL, ...sources }: Sources): ResolvedKey | undefined {
  if (!isOllamaCloud(baseURL)) return resolveKey({ ...sources, providerId });
  return requireKey({ ...sources, providerId, environment: ["OLLAMA_API_KEY"] });
}

function isOllamaCloud(baseURL: string): boolean {
  const { protocol, hostname } = new URL(baseURL);
  return protocol === "https:" && hostname === "ollama.com";
}
