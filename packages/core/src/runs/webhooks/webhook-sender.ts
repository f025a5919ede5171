import { readRetryAfter } from "../../base/errors/read-retry-after.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { createGuardedFetch } from "../../provider/wire/guarded-fetch.ts";
import type { GuardedFetch } from "../../provider/wire/guarded-fetch.ts";
import { ReceiverGuard } from "../../provider/wire/receiver-guard.ts";
import type { DeliveryRecord } from "./delivery-record.ts";
import type { WebhookSettings } from "./webhook-options.ts";
import { signWebhook } from "./webhook-signature.ts";

/** The largest number of bytes that are read of a receiver's answer. */
const maxReplyBytes = 4096;

/** The address of a webhook, and the secrets that sign its requests. */
export type Receiver = { readonly url: string; readonly secrets: readonly string[] };

/**
 * The outcome of an attempt. `disabled`: the receiver wants no more webhooks. `failed`: a later attempt may succeed, after
 * `waitMs` milliseconds if the receiver asks for that.
 */
export type SendOutcome =
  | { readonly status: "delivered" | "disabled" | "stopped" }
  | { readonly status: "failed"; readonly problem: string; readonly waitMs?: number };

/** Sends webhooks in the form of Standard Webhooks 1.0, one attempt at a time. */
export class WebhookSender {
  readonly #fetch: GuardedFetch;
  readonly #guard: ReceiverGuard;
  readonly #now: () => number;

  constructor(settings: WebhookSettings, now: () => number, fetch = fetchOf(settings)) {
    this.#fetch = fetch;
    this.#guard = new ReceiverGuard(settings);
    this.#now = now;
  }

  /** Makes one attempt. Never rejects. The address is checked again, because the host may have become private. */
  async send({ url, secrets }: Receiver, delivery: DeliveryRecord, signal: AbortSignal): Promise<SendOutcome> {
    // A process with other `allowPrivateHosts` may have stored this address.
    if (!this.#guard.mayReach(url)) return { status: "failed", problem: "private_address" };
    const { id } = delivery;
    const body = bodyOf(delivery);
    const timestamp = Math.floor(this.#now() / 1000);
    const headers = {
      "Content-Type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": signWebhook({ id, timestamp, body }, secrets),
    };
    try {
      const reply = await this.#fetch(url, { method: "POST", headers, body, signal });
      return readReply(reply.status, readRetryAfter(reply.headers, this.#now()));
    } catch (error) {
      if (signal.aborted) return { status: "stopped" };
      const reason = TroupeError.is(error) ? String(error.fields["reason"] ?? error.code) : "unreachable";
      return { status: "failed", problem: reason };
    }
  }
}

function fetchOf({ allowPrivateHosts, timeoutMs, lookup }: WebhookSettings): GuardedFetch {
  const limits = { timeoutMs, maxBytes: maxReplyBytes, cutsReply: true, maxRedirects: 0 };
  return createGuardedFetch({ ...limits, allowPrivateHosts, ...(lookup && { lookup }) });
}

/** Returns the body of a webhook, which is the same at each attempt. */
function bodyOf({ type, at, data }: Pick<DeliveryRecord, "type" | "at" | "data">): string {
  return JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
}

function readReply(status: number, waitMs: number | undefined): SendOutcome {
  if (status >= 200 && status < 300) return { status: "delivered" };
  if (status === 410) return { status: "disabled" };
  return { status: "failed", problem: `status ${status}`, ...(waitMs !== undefined && { waitMs }) };
}
