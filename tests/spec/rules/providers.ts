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
    "google.factory": {
      text: "google(modelId, { apiKey? }) makes a provider",
      test: "packages/providers-google/src/google.test.ts",
    },
    "google.reasoning-budget": {
      text: "budgetTokens applies to google",
      test: "packages/providers-google/src/request.test.ts",
    },
    "google.embeddings": {
      text: "googleEmbeddings({ apiKey?, model? }) makes an embedding provider",
      test: "packages/providers-google/src/embeddings/google-embeddings.test.ts",
    },
    "google.embeddings-default": {
      text: "its default model is text-embedding-004",
      test: "packages/providers-google/src/embeddings/google-embeddings.test.ts",
    },
  }),
  ...rulesOf("@troupe/providers-vertex", {
    "vertex.factory": {
      text: "vertex(modelId, { project?, location?, credentials? }) makes a provider",
      test: "packages/providers-vertex/src/vertex.test.ts",
    },
    "vertex.reasoning-budget": {
      text: "budgetTokens applies to vertex",
      test: "packages/providers-vertex/src/vertex.test.ts",
    },
  }),
  ...rulesOf("@troupe/providers-ollama", {
    "ollama.factory": {
      text: "ollama(modelId, { baseURL? }) makes a provider",
      test: "packages/providers-ollama/src/ollama-model.test.ts",
    },
  }),
];
