import { readRetryAfter } from "../../base/errors/read-retry-after.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { createGuardedFetch } from "../../provider/wire/guarded-fetch.ts";
import type { GuardedFetch, HostLookup } from "../../provider/wire/guarded-fetch.ts";
import { WebhookReceiverGuard } from "../../provider/wire/webhook-receiver-guard.ts";

/** The largest number of bytes that are read of a receiver's answer. */
const maxReplyBytes = 4096;

/** The rules for the receivers of requests. */
export type ReceiverSettings = {
  /** Private hosts that may be notified, each as `host:port`, also over plain HTTP. */
  readonly allowPrivateHosts: readonly string[];
  /** Milliseconds to wait for a receiver's answer. */
  readonly timeoutMs: number;
  /** Resolves the host names of receivers. @default the operating system's lookup */
  readonly lookup?: HostLookup | undefined;
};

/** A request that notifies a receiver. */
export type WebhookRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/**
 * The outcome of an attempt. `disabled`: the receiver wants no more webhooks. `stopped`: the attempt was aborted.
 * `failed`: the attempt failed; `waitMs` are the milliseconds that the receiver asks to wait. `isRefused` is true if a
 * later attempt will probably fail too: the receiver has rejected the request, or its address may not be notified.
 */
export type SendOutcome =
  | { readonly status: "delivered" | "disabled" | "stopped" }
  | { readonly status: "failed"; readonly problem: string; readonly isRefused: boolean; readonly waitMs?: number };

/** HTTP statuses from 400 to 499 that are temporary: the same request may succeed later. */
const passing: ReadonlySet<number> = new Set([408, 425, 429]);

/** Sends the requests of webhooks and subscriptions, one attempt at a time. */
export class WebhookSender {
  readonly #fetch: GuardedFetch;
  readonly #guard: WebhookReceiverGuard;
  readonly #now: () => number;

  constructor(settings: ReceiverSettings, now: () => number, fetch = fetchOf(settings)) {
    this.#fetch = fetch;
    this.#guard = new WebhookReceiverGuard(settings);
    this.#now = now;
  }

  /**
   * Returns true if an address may be notified: https on a public host, or an allowed host. A name that cannot be
   * resolved now is accepted, because each attempt resolves it again.
   */
  async admits(url: string): Promise<boolean> {
    return await this.#guard.admits(url);
  }

  /** Makes one attempt. Never rejects. The address is checked again, because the host may have become private. */
  async send({ url, headers, body }: WebhookRequest, signal: AbortSignal): Promise<SendOutcome> {
    // A process with other `allowPrivateHosts` may have stored this address.
    if (!this.#guard.mayReach(url)) return { status: "failed", problem: "private_address", isRefused: true };
    try {
      const reply = await this.#fetch(url, { method: "POST", headers, body, signal });
      return readReply(reply.status, readRetryAfter(reply.headers, this.#now()));
    } catch (error) {
      if (signal.aborted) return { status: "stopped" };
      const problem = TroupeError.is(error) ? String(error.fields["reason"] ?? error.code) : "unreachable";
      return { status: "failed", problem, isRefused: problem !== "unreachable" && problem !== "timeout" };
    }
  }
}

function fetchOf({ allowPrivateHosts, timeoutMs, lookup }: ReceiverSettings): GuardedFetch {
  const limits = { timeoutMs, maxBytes: maxReplyBytes, cutsReply: true, maxRedirects: 0 };
  return createGuardedFetch({ ...limits, allowPrivateHosts, ...(lookup && { lookup }) });
}

function readReply(status: number, waitMs: number | undefined): SendOutcome {
  if (status >= 200 && status < 300) return { status: "delivered" };
  if (status === 410) return { status: "disabled" };
  const isRefused = status < 500 && !passing.has(status);
  return { status: "failed", problem: `status ${status}`, isRefused, ...(waitMs !== undefined && { waitMs }) };
}
