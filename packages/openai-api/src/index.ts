export { openaiApi } from "./openai-api.ts";
export type { ApiFileLimits, ChatCompletionOptions, OpenAiApiOptions } from "./settings.ts";
export type { OpenWebUiOptions } from "./identity/open-webui.ts";
export type { MayRunModel, ServedModelInfo } from "./models/served-models.ts";
