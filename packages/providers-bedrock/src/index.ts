export { bedrock } from "./bedrock-model.ts";
export type { AwsCredentials, BedrockOptions } from "./options.ts";
export type { ModelRules } from "./model-rules.ts";
