export { GeminiClient } from "./gemini-client.ts";
export type { Ask, ClientSettings, Sending, WrittenRequest } from "./gemini-client.ts";
export { createGeminiModel } from "./gemini-model.ts";
export { ownerOf } from "./identity.ts";
export type { Identify, Identity } from "./identity.ts";
export { commonTable, modelIdOption, readModelOptions } from "./model-options.ts";
export { toModelError } from "./vendor-error.ts";
