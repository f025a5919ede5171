import { requireKey, resolveKey } from "@troupe/core/adapter";
import type { ResolvedKey } from "@troupe/core/adapter";
import { providerId } from "./provider-id.ts";

type Sources = { baseURL: string; request: string | undefined; config: string | undefined };

/**
 * The key of a call. Servers of one's own want none, and are never given the one of the environment: that is for
 * ollama.com, and whoever set it did not name them.
 */
export function findKey({ baseURL, ...sources }: Sources): ResolvedKey | undefined {
  if (!isOllamaCloud(baseURL)) return resolveKey({ ...sources, providerId });
  return requireKey({ ...sources, providerId, environment: ["OLLAMA_API_KEY"] });
}

function isOllamaCloud(baseURL: string): boolean {
  const { protocol, hostname } = new URL(baseURL);
  return protocol === "https:" && hostname === "ollama.com";
}
