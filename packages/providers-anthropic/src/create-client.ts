import type { Anthropic } from "@anthropic-ai/sdk";
import { sharedHttpPool } from "@troupe/core/adapter";
import type { ModelSettings } from "./anthropic-options.ts";

/** What all clients of one model have in common. */
export type ClientSettings = Pick<ModelSettings, "baseURL" | "keyHeader" | "idleTimeoutMs">;

/** The one header that differs from request to request. */
export const versionHeader = "anthropic-version";

/** Makes the library's client for one key, and loads the library when this is the first. */
export async function createClient(key: string, settings: ClientSettings): Promise<Anthropic> {
  const { baseURL, keyHeader, idleTimeoutMs } = settings;
  const { Anthropic: Client } = await import("@anthropic-ai/sdk");
  const headers = {
    accept: "application/json",
    "content-type": "application/json",
    "user-agent": "troupe",
    [keyHeader]: keyHeader === "authorization" ? `Bearer ${key}` : key,
  };
  return new Client({
    apiKey: key,
    baseURL,
    // What is not said here, the library looks for in the environment.
    webhookKey: null,
    logLevel: "off",
    openTelemetry: false,
    maxRetries: 0,
    // Headers are written anew, for the environment can add any to the library's. How long the head of an answer may
    // take is the library's to watch, request by request.
    fetch: (url, init) => {
      const version = new Headers(init?.headers).get(versionHeader) ?? "";
      const own = { headers: { ...headers, [versionHeader]: version }, headersTimeoutMs: 0, idleTimeoutMs };
      return sharedHttpPool().fetch(url, { ...init, ...own });
    },
  });
}
