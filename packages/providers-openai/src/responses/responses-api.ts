import type { Api } from "../model-call.ts";
import { ResponsesEventReader } from "./from-events.ts";
import { fromResponsesResponse } from "./from-response.ts";
import { toResponsesRequest } from "./to-request.ts";
import { weakenResponsesRules } from "./weaken.ts";

/** The Responses API. It is the default for OpenAI itself, except with audio. */
export const responsesApi: Api = {
  toRequest: toResponsesRequest,
  fromResponse: fromResponsesResponse,
  createReader: (call) => new ResponsesEventReader(call),
  weaken: weakenResponsesRules,
};
