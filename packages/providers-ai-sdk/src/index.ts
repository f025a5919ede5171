export { fromAiSdk } from "./from-ai-sdk.ts";
export { toAiSdk } from "./to-ai-sdk/to-ai-sdk.ts";
export type {
  AiSdkAgentModel,
  AiSdkAgentPart,
  AiSdkAgentResult,
  AiSdkCall,
  ToAiSdkOptions,
} from "./to-ai-sdk/types.ts";
export type { AiSdkEmbeddingModel, AiSdkEmbeddingOptions, AiSdkLanguageModel, AiSdkOptions } from "./options.ts";
