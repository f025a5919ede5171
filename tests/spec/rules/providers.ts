import { rulesOf } from "../rule.ts";

/** Model providers and embeddings. */
export const providerRules = [
  ...rulesOf("@troupe/core", {
    "provider.contract": "a provider has ids, generate and stream",
    "model-config.sampling": "temperature, maxTokens, topP and stop reach the vendor",
    "model-config.format-text": "responseFormat may be text",
    "model-config.format-json": "responseFormat may be json",
    "model-config.format-schema": "responseFormat may be a JSON schema with a name",
    "model-config.api-key": "a call may carry a key",
    "model-config.reasoning": "a call may carry a reasoning configuration",
  }),
  ...rulesOf("@troupe/providers-openai", {
    "openai.factory": "openai(modelId, { apiKey?, baseURL? }) makes a provider",
    "openai.reasoning-effort": "effort applies to openai",
    "openai.embeddings": "openaiEmbeddings({ apiKey?, model? }) makes an embedding provider",
    "openai.embeddings-default": "its default model is text-embedding-3-small",
  }),
  ...rulesOf("@troupe/providers-anthropic", {
    "anthropic.factory": "anthropic(modelId, { apiKey? }) makes a provider",
    "anthropic.reasoning-budget": "budgetTokens applies to anthropic",
  }),
  ...rulesOf("@troupe/providers-google", {
    "google.factory": "google(modelId, { apiKey? }) makes a provider",
    "google.reasoning-budget": "budgetTokens applies to google",
    "google.embeddings": "googleEmbeddings({ apiKey?, model? }) makes an embedding provider",
    "google.embeddings-default": "its default model is text-embedding-004",
  }),
  ...rulesOf("@troupe/providers-vertex", {
    "vertex.factory": "vertex(modelId, { project?, location?, credentials? }) makes a provider",
    "vertex.reasoning-budget": "budgetTokens applies to vertex",
  }),
  ...rulesOf("@troupe/providers-ollama", {
    "ollama.factory": "ollama(modelId, { baseURL? }) makes a provider",
  }),
];
