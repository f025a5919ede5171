import { setTimeout as sleep } from "node:timers/promises";
import { createGuardedFetch, ReceiverGuard } from "@troupe/core/provider";
import { readRetryAfter } from "@troupe/core/kit";
import type { GuardedFetch } from "@troupe/core/provider";
import { TroupeError } from "@troupe/core";
import type { Logger } from "@troupe/core";
import { wrongParam } from "../wire/a2a-error.ts";
import type { PushConfig } from "../wire/push-config.ts";
import type { PushSettings } from "./push-options.ts";
import type { PushSigner } from "./push-signer.ts";

/** A notification to send. All attempts to send it share its `id`. */
export type PushRequest = {
  readonly config: PushConfig;
  readonly taskId: string;
  readonly id: string;
  readonly contentType: string;
  readonly body: object;
};

/**
 * The outcome of a push notification: `done` if it was delivered, rejected or given up, `unwanted` if the receiver
 * wants no further notifications.
 */
export type PushOutcome = "done" | "unwanted" | "stopped";

/** Signals that end the sending of a push notification: `stop` before the next attempt, `abort` at once. */
type Ends = { readonly stop: AbortSignal; readonly abort: AbortSignal };

/** The result of one attempt to send a push notification. `waitMs` is the pause that the receiver asks for, if any. */
type Attempt = { readonly isOver: boolean; readonly outcome: PushOutcome; readonly problem?: string; waitMs?: number };

const longestPauseMs = 60_000;

/** The largest number of bytes that are read of a receiver's answer. */
const maxReplyBytes = 65_536;

/** HTTP statuses after which the same request may succeed later. */
const passing: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * Sends signed push notifications, with a limit on concurrent requests and retries after failures. Receivers are on
 * public hosts or in `allowPrivateHosts`.
 */
export class PushPost {
  readonly #settings: PushSettings;
  readonly #signer: PushSigner;
  readonly #logger: Logger;
  readonly #fetch: GuardedFetch;
  readonly #guard: ReceiverGuard;
  /** The number of attempts that may start now; further attempts wait. */
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(settings: PushSettings, signer: PushSigner, logger: Logger) {
    const { allowPrivateHosts, timeoutMs, lookup, concurrency } = settings;
    this.#settings = settings;
    this.#signer = signer;
    this.#logger = logger;
    this.#free = concurrency;
    this.#guard = new ReceiverGuard({ allowPrivateHosts, lookup });
    const limits = { timeoutMs, maxBytes: maxReplyBytes, maxRedirects: 0 };
    this.#fetch = createGuardedFetch({ ...limits, allowPrivateHosts, ...(lookup && { lookup }) });
  }

  /**
   * Throws `invalid-params` for an address that is never notified: not https, with credentials, or on a host that is
   * private now; hosts in `allowPrivateHosts` may be private and without https. This prevents requests to private hosts
   * (SSRF). Accepts a name that cannot be resolved now, because each delivery resolves it again.
   */
  async checkUrl(address: string): Promise<void> {
    if (await this.#guard.admits(address)) return;
    throw wrongParam("url", "an https: address of a public host, without a user name or password");
  }

  /** Sends a push notification until it is delivered, refused, given up or stopped. Never rejects. */
  async send(request: PushRequest, ends: Ends): Promise<PushOutcome> {
    const { maxAttempts, retryMs } = this.#settings;
    const body = JSON.stringify(request.body);
    for (let attempt = 1; !ends.stop.aborted; attempt++) {
      const { isOver, outcome, problem, waitMs = 0 } = await this.#inTurn(() => this.#attempt(request, body, ends));
      if (isOver || attempt === maxAttempts) {
        if (problem !== undefined) this.#logFailure(request, { attempt, problem });
        return outcome;
      }
      const pauseMs = Math.min(longestPauseMs, Math.max(waitMs, retryMs * 2 ** (attempt - 1)));
      // A random part spreads the retries after a shared receiver was down.
      await sleep(pauseMs * (1 + Math.random() / 4), undefined, { ref: false, signal: ends.stop }).catch(
        () => undefined,
      );
    }
    return "stopped";
  }

  /** Runs an attempt to send once fewer than `concurrency` attempts are in flight. */
  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }

  async #attempt(request: PushRequest, body: string, { stop, abort }: Ends): Promise<Attempt> {
    if (stop.aborted) return { isOver: true, outcome: "stopped" };
    const { url } = request.config;
    // A process with another `allowPrivateHosts` may have stored this address.
    if (!this.#guard.mayReach(url)) return { isOver: true, outcome: "done", problem: "private_address" };
    try {
      const headers = this.#headersOf(request, body);
      const reply = await this.#fetch(url, { method: "POST", headers, body, signal: abort });
      return readReply(reply.status, readRetryAfter(reply.headers));
    } catch (error) {
      if (abort.aborted) return { isOver: true, outcome: "stopped" };
      const reason = TroupeError.is(error) ? String(error.fields["reason"] ?? error.code) : "unreachable";
      return { isOver: !isPassing(reason), outcome: "done", problem: reason };
    }
  }

  #headersOf({ config, taskId, id, contentType }: PushRequest, body: string): Record<string, string> {
    const { url, token, scheme, credentials } = config;
    const signature = this.#signer.sign({ body, url, taskId, id });
    return {
      "Content-Type": contentType,
      "X-A2A-Notification-Signature": signature,
      Authorization: credentials === undefined ? `Bearer ${signature}` : `${scheme ?? "Bearer"} ${credentials}`,
      ...(token !== undefined && { "X-A2A-Notification-Token": token }),
    };
  }

  /** Logs an undelivered notification, without its address, which may be a secret. */
  #logFailure({ taskId, config: { id: configId } }: PushRequest, failure: { attempt: number; problem: string }): void {
    const { attempt: attempts, problem } = failure;
    this.#logger.warn("A push notification was not delivered.", { taskId, configId, attempts, problem });
  }
}

function readReply(status: number, waitMs: number | undefined): Attempt {
  if (status >= 200 && status < 300) return { isOver: true, outcome: "done" };
  const problem = `status ${status}`;
  if (status === 410) return { isOver: true, outcome: "unwanted", problem };
  const isOver = status < 500 && !passing.has(status);
  return { isOver, outcome: "done", problem, ...(waitMs !== undefined && { waitMs }) };
}

/**
 * Returns true if a request that failed for this reason may succeed later. A request to a private address counts as
 * final.
 */
function isPassing(reason: string): boolean {
  return reason === "unreachable" || reason === "timeout";
}
