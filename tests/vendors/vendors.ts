import type { Exchange } from "@troupe-internal/vendor-fakes";
import type { Logger, ModelProvider } from "@troupe/core";
import { anthropic } from "@troupe/providers-anthropic";
import { google } from "@troupe/providers-google";
import { ollama } from "@troupe/providers-ollama";
import { openai } from "@troupe/providers-openai";
import { vertex } from "@troupe/providers-vertex";

/** The five vendors, by their `providerId`. */
export const vendorNames = ["openai", "anthropic", "google", "vertex", "ollama"] as const;

/** One of them. */
export type VendorName = (typeof vendorNames)[number];

/** Whose key is used when the caller names none, and who hears of what happens. */
type Settings = { apiKey?: string; logger?: Logger };

/** A model of each that thinks and calls tools, which asks the server at `url`. */
export const connect: Readonly<Record<VendorName, (url: string, settings?: Settings) => ModelProvider>> = {
  openai: (url, settings) => openai("gpt-6.1-sol", { baseURL: `${url}/v1`, api: "responses", ...settings }),
  anthropic: (url, settings) => anthropic("claude-opus-5-5", { baseURL: url, ...settings }),
  google: (url, settings) => google("gemini-3.8-flash", { baseURL: url, ...settings }),
  vertex: (url, settings) => vertex("gemini-3.8-flash", { baseURL: url, ...settings }),
  ollama: (url, settings) => ollama("qwen3:8b", { baseURL: url, ...settings }),
};

/** Who was asked. Google's two differ in where they are asked alone. */
export function askedOf({ dialect, request }: Exchange): VendorName | undefined {
  if (dialect === "google") return request.url.includes("/publishers/google/") ? "vertex" : "google";
  return dialect === "openai-chat" || dialect === "openai-responses" ? "openai" : dialect;
}
