import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { HttpReply, ReplyBody } from "./http-reply.ts";
import type { RequestTimeouts } from "./http-request.ts";
import type { PiecewiseBody } from "./json-body.ts";

/** Method, headers, body, signal and timeouts of one request. @default a GET request without a body */
export type HttpInit = {
  method?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  body?: string | Uint8Array | PiecewiseBody | undefined;
  signal?: AbortSignal | undefined;
} & RequestTimeouts;

/** Sender of HTTP requests: a pool, or the network of a provider. */
export interface HttpSender {
  /**
   * Sends a request and waits for the head of its reply, of any status except a redirect, which is rejected. It rejects
   * with the signal's reason, or with a `TroupeError` whose cause has the network's code.
   */
  send(url: string | URL, init?: HttpInit): Promise<HttpReply>;
}

/** Returns true if an HTTP status is a redirect. */
export function isRedirect(status: number): boolean {
  return status >= 300 && status <= 399 && status !== 304;
}

/** Rejects a redirect, which would send keys and prompts to a host that is not configured. */
export async function refuseRedirect(status: number, body: ReplyBody): Promise<never> {
  await body.return?.();
  throw new TroupeError(
    "model_failed",
    "The server answered with a redirect, which is not followed. Set baseURL to the address that it redirects to.",
    { fields: { status } },
  );
}
