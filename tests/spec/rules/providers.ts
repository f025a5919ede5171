import { rulesOf } from "../rule.ts";

/** Model providers and embeddings. */
export const providerRules = [
  ...rulesOf("@troupe/core", {
    "provider.contract": {
      text: "a provider has ids, generate and stream",
      test: "packages/providers-anthropic/src/anthropic-model.test.ts",
    },
    "model-config.sampling": {
      text: "temperature, maxTokens, topP and stop reach the vendor",
      test: "packages/providers-anthropic/src/to-request.test.ts",
    },
    "model-config.format-text": {
      text: "responseFormat may be text",
      test: "packages/providers-anthropic/src/to-request.test.ts",
    },
    "model-config.format-json": {
      text: "responseFormat may be json",
      test: "packages/providers-anthropic/src/to-request.test.ts",
    },
    "model-config.format-schema": {
      text: "responseFormat may be a JSON schema with a name",
      test: "packages/providers-anthropic/src/to-request.test.ts",
    },
    "model-config.api-key": { text: "a call may carry a key", test: "packages/providers-anthropic/src/keys.test.ts" },
    "model-config.reasoning": {
      text: "a call may carry a reasoning configuration",
      test: "packages/providers-anthropic/src/to-request.test.ts",
    },
  }),
  ...rulesOf("@troupe/providers-openai", {
    "openai.factory": {
      text: "openai(modelId, { apiKey?, baseURL? }) makes a provider",
      test: "packages/providers-openai/src/openai-options.test.ts",
    },
    "openai.reasoning-effort": {
      text: "effort applies to openai",
      test: "packages/providers-openai/src/responses/to-request.test.ts",
    },
    "openai.embeddings": {
      text: "openaiEmbeddings({ apiKey?, model? }) makes an embedding provider",
      test: "packages/providers-openai/src/openai-embeddings.test.ts",
    },
    "openai.embeddings-default": {
      text: "its default model is text-embedding-3-small",
      test: "packages/providers-openai/src/openai-embeddings.test.ts",
    },
  }),
  ...rulesOf("@troupe/providers-anthropic", {
    "anthropic.factory": {
      text: "anthropic(modelId, { apiKey? }) makes a provider",
      test: "packages/providers-anthropic/src/anthropic-model.test.ts",
    },
    "anthropic.reasoning-budget": {
      text: "budgetTokens applies to anthropic",
      test: "packages/providers-anthropic/src/to-request.test.ts",
    },
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
