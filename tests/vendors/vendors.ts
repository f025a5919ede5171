import type { Exchange } from "@troupe-internal/vendor-fakes";
import type { Logger, ModelProvider } from "@troupe/core";
import { anthropic } from "@troupe/providers-anthropic";
import { google } from "@troupe/providers-google";
import { ollama } from "@troupe/providers-ollama";
import { openai } from "@troupe/providers-openai";
import { vertex } from "@troupe/providers-vertex";

/** The five vendors, by their `providerId`. */
export const vendorNames = ["openai", "anthropic", "google", "vertex", "ollama"] as const;

/** Name of a vendor. */
export type VendorName = (typeof vendorNames)[number];

/** The provider's own key, its logger, and whether it may be sent URLs of private addresses. */
type Settings = { apiKey?: string; logger?: Logger; allowPrivateUrls?: boolean };

/** Creates a model of each vendor that thinks and calls tools, and sends its requests to `url`. */
export const connect: Readonly<Record<VendorName, (url: string, settings?: Settings) => ModelProvider>> = {
  openai: (url, settings) => openai("gpt-6.1-sol", { baseURL: `${url}/v1`, api: "responses", ...settings }),
  anthropic: (url, settings) => anthropic("claude-opus-5-5", { baseURL: url, ...settings }),
  google: (url, settings) => google("gemini-3.8-flash", { baseURL: url, ...settings }),
  vertex: (url, settings) => vertex("gemini-3.8-flash", { baseURL: url, ...settings }),
  ollama: (url, settings) => ollama("qwen3:8b", { baseURL: url, ...settings }),
};

/** Returns the vendor that was asked. Google and Vertex differ in their paths only. */
export function askedOf({ dialect, request }: Exchange): VendorName | undefined {
  if (dialect === "google") return request.url.includes("/publishers/google/") ? "vertex" : "google";
  return dialect === "openai-chat" || dialect === "openai-responses" ? "openai" : dialect;
}
