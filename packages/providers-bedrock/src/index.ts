export { bedrock } from "./bedrock-model.ts";
export { bedrockEmbeddings } from "./bedrock-embeddings.ts";
export type { AwsCredentials, BedrockEmbeddingsOptions, BedrockOptions } from "./options.ts";
export type { ModelRules } from "./model-rules.ts";
