import type { Api } from "../call.ts";
import { ResponsesReader } from "./from-events.ts";
import { fromResponse } from "./from-response.ts";
import { toRequest } from "./to-request.ts";
import { weaken } from "./weaken.ts";

/** The Responses API. */
export const responsesApi: Api = {
  path: "/responses",
  toRequest,
  fromResponse,
  createReader: (call) => new ResponsesReader(call),
  weaken,
};
