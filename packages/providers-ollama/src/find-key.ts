import { requireKey, resolveKey } from "@troupe/core/adapter";
import type { ResolvedKey } from "@troupe/core/adapter";
import { providerId } from "./provider-id.ts";

type Sources = { baseURL: string; request: string | undefined; config: string | undefined };

/** Returns the key of a call. The key in the environment is for ollama.com, and never sent to other servers. */
export function findKey({ baseURL, ...sources }: Sources): ResolvedKey | undefined {
  if (!isOllamaCloud(baseURL)) return resolveKey({ ...sources, providerId });
  return requireKey({ ...sources, providerId, environment: ["OLLAMA_API_KEY"] });
}

function isOllamaCloud(baseURL: string): boolean {
  const { protocol, hostname } = new URL(baseURL);
  return protocol === "https:" && hostname === "ollama.com";
}
