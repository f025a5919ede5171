import { lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createGuardedFetch, guardUrl, isAllowedPrivateHost, leadsToPrivateHost } from "@troupe/core/transport";
import { readRetryAfter } from "@troupe/core/kit";
import { toAllowedPrivateHosts } from "@troupe/core/transport";
import type { AllowedPrivateHosts, GuardedFetch } from "@troupe/core/transport";
import { TroupeError } from "@troupe/core";
import type { Logger } from "@troupe/core";
import { wrongParam } from "../wire/a2a-error.ts";
import type { PushConfig } from "../wire/push-config.ts";
import type { PushSettings } from "./push-options.ts";
import type { PushSigner } from "./push-signer.ts";

/** A notification to send. `id` is the same for all attempts at it. */
export type PushRequest = {
  readonly config: PushConfig;
  readonly taskId: string;
  readonly id: string;
  readonly contentType: string;
  readonly body: object;
};

/** The end of a notification: `done` also where the receiver has refused it, `unwanted` if it wants no more of them. */
export type PushOutcome = "done" | "unwanted" | "stopped";

/** Signals that end the sending: before the next attempt, and at once. */
type Ends = { readonly stop: AbortSignal; readonly abort: AbortSignal };

/** The result of one attempt; `waitMs`, where the receiver asks for a pause. */
type Attempt = { readonly isOver: boolean; readonly outcome: PushOutcome; readonly problem?: string; waitMs?: number };

const longestPauseMs = 60_000;

/** Milliseconds that a client waits for the lookup of a name that it sets. */
const lookupMs = 2000;

/** Lookups for clients at the same time. The system has four threads for all names, and vendors have names too. */
const mostLookups = 2;

/** The largest answer of a receiver that is read. */
const maxReplyBytes = 65_536;

/** Statuses after which the same request may succeed. */
const passing: ReadonlySet<number> = new Set([408, 425, 429]);

/** Sends notifications to public hosts alone, signed, some at a time, and again where a receiver fails. */
export class PushPost {
  readonly #settings: PushSettings;
  readonly #signer: PushSigner;
  readonly #logger: Logger;
  readonly #fetch: GuardedFetch;
  readonly #allowed: AllowedPrivateHosts;
  readonly #lookup: LookupFunction;
  #lookups = 0;
  /** The attempts that may begin, and those that wait for that. */
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(settings: PushSettings, signer: PushSigner, logger: Logger) {
    const { allowPrivateHosts, timeoutMs, lookup, concurrency } = settings;
    this.#settings = settings;
    this.#signer = signer;
    this.#logger = logger;
    this.#free = concurrency;
    this.#allowed = toAllowedPrivateHosts(allowPrivateHosts);
    this.#lookup = lookup ?? systemLookup;
    const limits = { timeoutMs, maxBytes: maxReplyBytes, maxRedirects: 0 };
    this.#fetch = createGuardedFetch({ ...limits, allowPrivateHosts, ...(lookup && { lookup }) });
  }

  /**
   * Throws `invalid-params` for an address that is never notified: of a private host, or of a name that leads to one now. A name
   * that cannot be looked up now is taken: each delivery looks it up again.
   */
  async checkUrl(address: string): Promise<void> {
    if (this.#mayReach(address) && !(await this.#isPrivate(new URL(address)))) return;
    throw wrongParam("url", "an https: address of a public host, without a user name or password");
  }

  async #isPrivate(url: URL): Promise<boolean> {
    const late = Promise.withResolvers<false>();
    const timer = setTimeout(late.resolve, lookupMs, false);
    try {
      return await Promise.race([this.#lookUp(url), late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #lookUp(url: URL): Promise<boolean> {
    if (this.#lookups === mostLookups) return false;
    this.#lookups += 1;
    try {
      return await leadsToPrivateHost(url, { allowed: this.#allowed, lookup: this.#lookup });
    } finally {
      this.#lookups -= 1;
    }
  }

  #mayReach(address: string): boolean {
    try {
      const url = guardUrl(address, this.#allowed);
      return url.protocol === "https:" || isAllowedPrivateHost(url, this.#allowed);
    } catch {
      return false;
    }
  }

  /** Sends a notification until it is delivered, refused, or given up. Never rejects. */
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
      // Not all at the same time, after a receiver of many was down.
      await sleep(pauseMs * (1 + Math.random() / 4), undefined, { ref: false, signal: ends.stop }).catch(
        () => undefined,
      );
    }
    return "stopped";
  }

  /** Waits until one more attempt may be under way. */
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
    // It may have been kept by a process that allowed more.
    if (!this.#mayReach(url)) return { isOver: true, outcome: "done", problem: "private_address" };
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

  /** Logs a notification that was not delivered. Its address may be a secret. */
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

/** Tells if the same request may succeed later. One to a private address may not, unless its name gets another one. */
function isPassing(reason: string): boolean {
  return reason === "unreachable" || reason === "timeout";
}
