import type { Api } from "../model-call.ts";
import { ChatEventReader } from "./from-events.ts";
import { fromChatResponse } from "./from-response.ts";
import { toChatRequest } from "./to-request.ts";
import { weakenChatRules } from "./weaken.ts";

/**
 * The Chat Completions API, which many servers implement. It is the default for servers other than OpenAI, and for
 * audio.
 */
export const chatApi: Api = {
  toRequest: toChatRequest,
  fromResponse: fromChatResponse,
  createReader: (call) => new ChatEventReader(call),
  weaken: weakenChatRules,
};
