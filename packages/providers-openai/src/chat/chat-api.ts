import type { Api } from "../call.ts";
import { ChatReader } from "./from-events.ts";
import { fromResponse } from "./from-response.ts";
import { toRequest } from "./to-request.ts";
import { weaken } from "./weaken.ts";

/** The Chat Completions API, which many servers implement. */
export const chatApi: Api = {
  path: "/chat/completions",
  toRequest,
  fromResponse,
  createReader: (call) => new ChatReader(call),
  weaken,
};
