import { TroupeError } from "../../base/errors/troupe-error.ts";
import { sendByFetch } from "./fetch-sender.ts";
import type { HttpReply } from "./http-reply.ts";
import { parseUrl } from "./http-request.ts";
import type { HttpInit } from "./http-sender.ts";
import { toNetworkError } from "./send-request.ts";

/**
 * Sends a request with the `fetch` of the runtime, which keeps its own connections, within the timeouts of the pool.
 */
export async function sendByPlatform(url: string | URL, init: HttpInit): Promise<HttpReply> {
  const toError = (error: unknown): unknown =>
    TroupeError.is(error) || init.signal?.aborted === true || !(error instanceof Error) ? error : toNetworkError(error);
  return await sendByFetch((target, given) => fetch(target, given), parseUrl(url).href, { ...init, toError });
}
