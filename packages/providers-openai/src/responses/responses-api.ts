import type { Api } from "../call.ts";
import { ResponsesReader } from "./from-events.ts";
import { fromResponsesResponse } from "./from-response.ts";
import { toResponsesRequest } from "./to-request.ts";
import { weakenResponsesRules } from "./weaken.ts";

/** The Responses API. By default used for OpenAI itself, except with audio. */
export const responsesApi: Api = {
  path: "/responses",
  toRequest: toResponsesRequest,
  fromResponse: fromResponsesResponse,
  createReader: (call) => new ResponsesReader(call),
  weaken: weakenResponsesRules,
};
