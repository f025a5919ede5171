import type { DialectName } from "./dialect.ts";
import type { SdkClient, SdkSetup } from "./sdk/sdk-client.ts";

/**
 * Imports the vendor's own library for a dialect, and returns a client of it: the oracle for the meaning of an answer.
 */
export async function loadSdkClient(dialect: DialectName, setup: SdkSetup): Promise<SdkClient> {
  return await loaders[dialect](setup);
}

const loaders: Readonly<Record<DialectName, (setup: SdkSetup) => Promise<SdkClient>>> = {
  "openai-responses": async (setup) => (await import("./sdk/openai-clients.ts")).createResponsesClient(setup),
  "openai-chat": async (setup) => (await import("./sdk/openai-clients.ts")).createChatClient(setup),
  anthropic: async (setup) => (await import("./sdk/anthropic-client.ts")).createAnthropicClient(setup),
  google: async (setup) => (await import("./sdk/google-clients.ts")).createGoogleClient(setup),
  ollama: async (setup) => (await import("./sdk/ollama-client.ts")).createOllamaClient(setup),
};
