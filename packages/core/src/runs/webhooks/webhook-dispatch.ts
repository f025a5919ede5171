import { createId } from "../../base/util/create-id.ts";
import type { Logger } from "../../base/log/logger.ts";
import { runNamespaces } from "../../agents/journal/log-entry.ts";
import type { OwnerKey } from "../../sessions/storage/owner-key.ts";
import type { WebhookRef } from "../record/run-notice.ts";
import type { RunStorage } from "../record/run-record.ts";
import { asJson, outboxKey, readDelivery } from "./delivery-record.ts";
import type { DeliveryRecord, OutboxEntry } from "./delivery-record.ts";
import type { DueDelivery } from "./run-notices.ts";
import type { StoredWebhooks } from "./stored-webhooks.ts";
import type { DisabledWebhook, WebhookSettings } from "./webhook-options.ts";
import type { SendOutcome, WebhookRequest } from "./webhook-sender.ts";
import { isGivenUp, leaseUntil, nextAttemptAt } from "./retry-schedule.ts";
import { signWebhook } from "./webhook-signature.ts";

type Init = {
  readonly storage: RunStorage;
  readonly stored: StoredWebhooks;
  readonly settings: WebhookSettings;
  readonly now: () => number;
  readonly logger: Logger | undefined;
  /** Sends a request to its receiver, once. */
  readonly send: (request: WebhookRequest, signal: AbortSignal) => Promise<SendOutcome>;
};

type FailedOutcome = Extract<SendOutcome, { status: "failed" }>;

/** The address of a webhook, and the secrets that sign its requests. */
type Receiver = { readonly url: string; readonly secrets: readonly string[] };

/**
 * The receiver of a delivery; `"disabled"` if the receiver wants no more webhooks, `undefined` if this process does not
 * know it.
 */
type Found = Receiver | "disabled" | undefined;

/**
 * Sends due deliveries: claims each by a lease in its record, makes one attempt, and stores the outcome. If a process
 * dies in between, the entry stays in the outbox, and another process continues once the lease has expired.
 */
export class WebhookDispatch {
  readonly #init: Init;

  constructor(init: Init) {
    this.#init = init;
  }

  /**
   * Makes one attempt at a due delivery, unless another process makes it. Returns the time in epoch milliseconds at
   * which the delivery is due again; undefined if it is not. Rejects if the storage fails.
   */
  async attempt({ key, entry }: DueDelivery, signal: AbortSignal): Promise<number | undefined> {
    const { now } = this.#init;
    const record = await this.#read(entry);
    if (record === null || record.status !== "pending" || outboxKey(record) !== key) return await this.#drop(key);
    if (record.lease !== undefined && record.lease.until > now()) return record.lease.until;
    const receiver = await this.#findReceiver(entry, record);
    if (receiver === "disabled") return await this.#end({ key, entry, record }, { status: "disabled" });
    if (receiver === undefined) {
      // Another process may know the receiver, such as a process of a newer release.
      return isGivenUp(record.at, now()) ? await this.#end({ key, entry, record }, gone) : undefined;
    }
    const claimed = await this.#claim(entry, record);
    return claimed && (await this.#send({ key, entry, record: claimed }, receiver, signal));
  }

  async #send(sent: Sent, receiver: Receiver, signal: AbortSignal): Promise<number | undefined> {
    const { now, send } = this.#init;
    const outcome = await send(toRequest(receiver, sent.record, now()), signal);
    if (outcome.status === "stopped") return await this.#release(sent);
    if (outcome.status === "failed" && !isGivenUp(sent.record.at, now())) {
      return await this.#postpone(sent, outcome);
    }
    if (outcome.status === "disabled") await this.#disable(sent, receiver);
    return await this.#end(sent, outcome);
  }

  async #read({ delivery }: OutboxEntry): Promise<DeliveryRecord | null> {
    return readDelivery(await this.#init.storage.get(runNamespaces.deliveries, delivery), delivery);
  }

  async #findReceiver(entry: OutboxEntry, { target, data }: DeliveryRecord): Promise<Found> {
    const { stored, settings } = this.#init;
    if (target !== "run") {
      const found = settings.targets.find(({ id }) => id === target);
      return found !== undefined && (await stored.isDisabled(target)) ? "disabled" : found;
    }
    const webhook = await stored.read(refOf(entry, data.runId));
    return typeof webhook === "object" ? { url: webhook.url, secrets: [webhook.secret] } : webhook;
  }

  async #claim({ delivery }: OutboxEntry, record: DeliveryRecord): Promise<DeliveryRecord | undefined> {
    const at = this.#init.now();
    const lease = { token: createId(), until: leaseUntil(at, this.#init.settings.timeoutMs) };
    const claimed: DeliveryRecord = { ...record, attempts: record.attempts + 1, lastAt: at, lease };
    return (await this.#replace(delivery, record, claimed)) ? claimed : undefined;
  }

  /** Gives up a lease, so that another process may try at once. The attempt does not count. */
  async #release({ entry, record }: Sent): Promise<undefined> {
    const { lease: _lease, ...rest } = record;
    await this.#replace(entry.delivery, record, { ...rest, attempts: record.attempts - 1 });
    return undefined;
  }

  /**
   * Schedules another attempt at a delivery. Its new entry in the outbox is stored first, so that no crash loses it.
   */
  async #postpone({ key, entry, record }: Sent, { problem, waitMs }: FailedOutcome): Promise<number | undefined> {
    const { storage, now } = this.#init;
    const { lease: _lease, ...rest } = record;
    const dueAt = nextAttemptAt({ since: record.at, attempts: record.attempts, waitMs }, now());
    const next: DeliveryRecord = { ...rest, dueAt, problem };
    await storage.compareAndSet(runNamespaces.outbox, outboxKey(next), null, asJson(entry));
    // If the run was removed or the lease was lost, the new entry is useless, and is dropped when it is due.
    if (!(await this.#replace(entry.delivery, record, next))) return undefined;
    if (key !== outboxKey(next)) await this.#drop(key);
    return dueAt;
  }

  async #end({ key, entry, record }: Sent, outcome: SendOutcome): Promise<undefined> {
    const { logger, stored } = this.#init;
    const { lease: _lease, problem: _problem, ...rest } = record;
    const { runId } = record.data;
    const problem = "problem" in outcome ? outcome.problem : undefined;
    const status = outcome.status === "stopped" ? "failed" : outcome.status;
    const ended: DeliveryRecord = { ...rest, status, ...(problem !== undefined && { problem }) };
    if (!(await this.#replace(entry.delivery, record, ended))) return;
    await this.#drop(key);
    if (status === "failed") {
      const { id: webhookId, attempts } = record;
      logger?.warn("A webhook was not delivered within a day.", { runId, webhookId, attempts, problem });
    }
    if (entry.webhook === "run") await stored.removeIfDone(refOf(entry, runId));
  }

  /** Disables a webhook whose receiver wants no more webhooks, and reports that once. */
  async #disable({ entry, record }: Sent, { url }: Receiver): Promise<void> {
    const { stored, settings, logger } = this.#init;
    const { runId } = record.data;
    const isOwn = record.target === "run";
    const isNew = isOwn ? await stored.disable(refOf(entry, runId)) : await stored.disableTarget(record.target);
    if (!isNew) return;
    const disabled: DisabledWebhook = { url, ...(isOwn && { runId }) };
    logger?.warn("A webhook was disabled: its receiver answered 410.", { webhook: entry.webhook, runId });
    try {
      settings.onDisabled?.(disabled);
    } catch (error) {
      logger?.error("onDisabled of webhooks failed.", { error });
    }
  }

  async #replace(key: string, before: DeliveryRecord, after: DeliveryRecord): Promise<boolean> {
    return await this.#init.storage.compareAndSet(runNamespaces.deliveries, key, asJson(before), asJson(after));
  }

  async #drop(key: string): Promise<undefined> {
    await this.#init.storage.delete(runNamespaces.outbox, key);
    return undefined;
  }
}

/** A delivery with its entry in the outbox. */
type Sent = DueDelivery & { readonly record: DeliveryRecord };

const gone = { status: "failed", problem: "unknown_webhook", isRefused: true } as const;

function refOf({ owner }: OutboxEntry, runId: string): WebhookRef {
  return { runId, owner: owner as OwnerKey };
}

/**
 * Returns the request of an attempt, in the form of Standard Webhooks 1.0. The body and the id are the same at each
 * attempt.
 */
function toRequest({ url, secrets }: Receiver, { id, type, at, data }: DeliveryRecord, now: number): WebhookRequest {
  const body = JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
  const timestamp = Math.floor(now / 1000);
  const headers = {
    "Content-Type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signWebhook({ id, timestamp, body }, secrets),
  };
  return { url, headers, body };
}
