export { GeminiClient } from "./gemini-client.ts";
export type { ClientSettings, MethodCall, SendOptions } from "./gemini-client.ts";
export { createGeminiModel } from "./gemini-model.ts";
export { credentialsOfKey } from "./call-credentials.ts";
export type { FindCredentials, CallCredentials } from "./call-credentials.ts";
export { commonTable, modelIdOption, readModelOptions } from "./model-options.ts";
export { toModelError } from "./vendor-error.ts";
