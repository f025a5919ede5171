import { createId } from "../../base/util/create-id.ts";
import type { Logger } from "../../base/log/logger.ts";
import { runNamespaces } from "../../agents/journal/log-entry.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { RunStore } from "../record/run-store.ts";
import { insertRecords } from "../record/run-writes.ts";
import { asJson, deliveryKey, dueAtOf, outboxKey } from "./delivery-record.ts";
import type { DeliveryRecord } from "./delivery-record.ts";
import { isGivenUp, isHeld, leaseUntil, nextAttemptAt } from "./retry-schedule.ts";
import { toInsert, trimDeliveries } from "./run-notices.ts";
import type { DueDelivery } from "./run-notices.ts";
import type { Notification, SubscribedEvents, Subscriber } from "./subscribed-events.ts";
import type { NotificationFormat } from "./notification-format.ts";
import { subscriptionAsJson, readSubscription, readSubscriptionKey } from "./subscription-record.ts";
import type { SubscriptionRecord } from "./subscription-record.ts";
import type { Subscriptions } from "./subscriptions.ts";
import type { SendOutcome, WebhookSender } from "./webhook-sender.ts";

/** The number of notifications of a subscription after which its run's deliveries beyond the limit are removed. */
const manyTold = 20;

/** A form of subscriptions, and the sender of its requests. */
export type KnownForm = { readonly form: NotificationFormat; readonly sender: WebhookSender };

type Init = {
  readonly store: RunStore;
  readonly subscriptions: Subscriptions;
  readonly events: SubscribedEvents;
  /** The forms that this process knows, by name. */
  readonly forms: ReadonlyMap<string, KnownForm>;
  readonly now: () => number;
  readonly logger: Logger | undefined;
  /** The time since which no other process uses the storage; undefined if others may use it. */
  readonly aloneSince?: number | undefined;
};

/** A subscription whose notifications this process sends, with the entry of the outbox for it. */
type Served = { readonly due: DueDelivery; readonly known: KnownForm; readonly runId: string; readonly id: string };

type FailedOutcome = Extract<SendOutcome, { status: "failed" }>;

/**
 * Sends the notifications of subscriptions whose runs have continued, in the order of the run's log: claims the
 * subscription by a lease in its record, sends one notification after the other, and stores the position after each. If
 * a process dies in between, the entry stays in the outbox, and another process continues once the lease has expired.
 */
export class SubscriptionDispatch {
  readonly #init: Init;

  constructor(init: Init) {
    this.#init = init;
  }

  /**
   * Sends the due notifications of a subscription, unless another process sends them. Returns the time in epoch
   * milliseconds at which the subscription is due again; undefined if it is not. Rejects if the storage fails.
   */
  async attempt(due: DueDelivery, signal: AbortSignal): Promise<number | undefined> {
    const { store, now } = this.#init;
    const { delivery: key } = due.entry;
    const record = readSubscription(await store.storage.get(runNamespaces.webhooks, key), key);
    if (!isOpen(record, now())) return await this.#drop(due);
    if (record.lease !== undefined && isHeld(record.lease, now(), this.#init.aloneSince)) return record.lease.until;
    const ref = readSubscriptionKey(key);
    if ((await store.readStored(ref.runId)) === null) return await this.#drop(due);
    const opened = this.#open(due, record);
    // This process does not know the form of the notifications, or has no key that decrypts the subscription's data.
    // Another process may, such as one of a newer release, so the delivery stays in the outbox until it is given up.
    if (opened === undefined) return isGivenUp(dueAtOf(due.key), now()) ? await this.#drop(due) : undefined;
    const { known, data } = opened;
    const subscriber = { runId: ref.runId, form: known.form, data, place: record };
    return await this.#serve({ due, known, ...ref }, { record, subscriber, signal });
  }

  #open({ entry }: DueDelivery, record: SubscriptionRecord): { known: KnownForm; data: Json } | undefined {
    const { forms, subscriptions } = this.#init;
    const known = forms.get(entry.form ?? "");
    const data = known && subscriptions.open(entry.delivery, record);
    return known === undefined || data === undefined ? undefined : { known, data };
  }

  /**
   * Sends the notifications. Each notification is read before its predecessor is sent, so that nothing delays the write
   * of the position after a request.
   */
  async #serve(served: Served, { record, subscriber, signal }: Serving): Promise<number | undefined> {
    const notifications = this.#init.events.after(subscriber);
    try {
      let current = await nextOf(notifications);
      let held = current && (await this.#claim(served, record));
      if (current !== undefined && held === undefined) return await this.#yield(served);
      while (current !== undefined && held !== undefined) {
        const next = await nextOf(notifications);
        // The remaining notifications are left to another process.
        if (signal.aborted) return await this.#release(served, held);
        const sent = { current, record: held };
        const outcome = await served.known.sender.send(current.write(idOf(served, current)), signal);
        if (outcome.status === "stopped") return await this.#release(served, held);
        if (outcome.status === "failed" && this.#isTriedAgain(served, held, outcome)) {
          return await this.#postpone(served, sent, outcome);
        }
        held = await this.#advance(served, sent, { outcome, hasNext: next !== undefined });
        current = next;
      }
      return await this.#drop(served.due);
    } finally {
      await notifications.return();
    }
  }

  /** Leaves a subscription that another process has claimed, or that was replaced. It becomes due again later. */
  async #yield({ due }: Served): Promise<number | undefined> {
    const { delivery: key } = due.entry;
    const record = readSubscription(await this.#init.store.storage.get(runNamespaces.webhooks, key), key);
    return record === null ? await this.#drop(due) : (record.lease?.until ?? this.#init.now());
  }

  async #claim(served: Served, record: SubscriptionRecord): Promise<SubscriptionRecord | undefined> {
    const claimed = this.#claimed(served, record);
    return (await this.#replace(served.due, record, claimed)) ? claimed : undefined;
  }

  /** Returns the record of a subscription with a lease for the next attempt. */
  #claimed({ known }: Served, record: SubscriptionRecord): SubscriptionRecord {
    const now = this.#init.now();
    const { dueAt: _dueAt, since = now, ...rest } = record;
    const lease = { token: createId(), at: now, until: leaseUntil(now, known.form.settings.timeoutMs) };
    return { ...rest, since, attempts: record.attempts + 1, lease };
  }

  /**
   * Returns true if a notification is sent again. A notification that the receiver refused is not sent again, because
   * it would only delay the next notifications.
   */
  #isTriedAgain({ known }: Served, { attempts, since = 0 }: SubscriptionRecord, { isRefused }: FailedOutcome): boolean {
    const { maxAttempts = Infinity } = known.form.settings;
    return !isRefused && attempts < maxAttempts && !isGivenUp(since, this.#init.now());
  }

  /** Gives up a lease, so that another process may try immediately. The attempt does not count. */
  async #release({ due }: Served, record: SubscriptionRecord): Promise<undefined> {
    const { lease: _lease, ...rest } = record;
    await this.#replace(due, record, { ...rest, attempts: record.attempts - 1 });
    return undefined;
  }

  /**
   * Schedules another attempt at a notification. Its new entry in the outbox is stored first, so that no crash loses
   * it.
   */
  async #postpone(served: Served, sent: Sent, { problem, waitMs }: FailedOutcome): Promise<number | undefined> {
    const { store, now } = this.#init;
    const { due, known } = served;
    const { lease: _lease, ...rest } = sent.record;
    const { since = now(), attempts } = rest;
    const dueAt = nextAttemptAt({ since, attempts, waitMs, firstMs: known.form.settings.retryMs }, now());
    const again = { key: outboxKey({ dueAt, id: createId() }), entry: due.entry };
    await insertRecords(store.storage, [toInsert(again)]);
    if (!(await this.#replace(due, sent.record, { ...rest, dueAt }))) return await this.#drop(due);
    await this.#note(served, sent, { status: "pending", problem, dueAt });
    await this.#drop(due);
    return dueAt;
  }

  /**
   * Stores the position after a notification that was delivered or given up. Returns the record with a lease for the
   * next notification; undefined if there is no next notification, or if the subscription was removed or replaced.
   */
  async #advance(served: Served, sent: Sent, { outcome, hasNext }: Ended): Promise<SubscriptionRecord | undefined> {
    const { lease: _lease, since: _since, after: _after, told, ...rest } = sent.record;
    const { after, ...place } = sent.current.place;
    const isOver = sent.current.isLast || outcome.status === "disabled";
    const moved = { ...rest, ...place, ...(after !== undefined && { after }), told: told + 1, attempts: 0 };
    const next = hasNext && !isOver ? this.#claimed(served, moved) : { ...moved, ...(isOver && { isOver }) };
    if (!(await this.#replace(served.due, sent.record, next))) return undefined;
    await this.#report(served, sent, outcome);
    if (next.told % manyTold === 0) await trimDeliveries(this.#init.store.storage, served.runId);
    return next.lease && next;
  }

  /** Stores the outcome of a notification, and logs a failure. The log omits the address, which may be a secret. */
  async #report(served: Served, sent: Sent, outcome: SendOutcome): Promise<void> {
    const problem = outcome.status === "failed" ? outcome.problem : undefined;
    const status = outcome.status === "stopped" ? "failed" : outcome.status;
    await this.#note(served, sent, { status, problem });
    if (status === "delivered") return;
    const { runId, id: subscriptionId } = served;
    const facts = { runId, subscriptionId, attempts: sent.record.attempts, problem: problem ?? "status 410" };
    this.#init.logger?.warn("A notification of a subscription was not delivered.", facts);
  }

  /**
   * Adds the outcome of a notification to the list of the run's deliveries. This entry is only a report: the
   * subscription's own record determines what is sent.
   */
  async #note(served: Served, { current, record }: Sent, state: NotedState): Promise<void> {
    const { store, logger, now } = this.#init;
    const { runId } = served;
    const { kind, name, sessionId, status } = current.run;
    const { problem, dueAt = now(), status: delivered } = state;
    const { since: at = now(), attempts } = record;
    const noted: DeliveryRecord = {
      v: 1,
      id: idOf(served, current),
      type: current.type,
      at,
      target: "subscription",
      data: { runId, kind, name, sessionId, status },
      status: delivered,
      attempts,
      lastAt: now(),
      dueAt,
      ...(problem !== undefined && { problem }),
    };
    const { deliveries } = runNamespaces;
    const key = deliveryKey(runId, noted);
    try {
      await store.storage.set(deliveries, key, asJson(noted));
      // If the run was removed in the meantime, the new entry is removed, too.
      if ((await store.readStored(runId)) === null) await store.storage.delete(deliveries, key);
    } catch (error) {
      logger?.warn("The delivery of a notification could not be noted.", { runId, error });
    }
  }

  async #replace({ entry }: DueDelivery, before: SubscriptionRecord, after: SubscriptionRecord): Promise<boolean> {
    const { storage } = this.#init.store;
    return await storage.compareAndSet(
      runNamespaces.webhooks,
      entry.delivery,
      subscriptionAsJson(before),
      subscriptionAsJson(after),
    );
  }

  async #drop({ key }: DueDelivery): Promise<undefined> {
    await this.#init.store.storage.delete(runNamespaces.outbox, key);
    return undefined;
  }
}

type Serving = { readonly record: SubscriptionRecord; readonly subscriber: Subscriber; readonly signal: AbortSignal };

/** A notification that was sent, and the record of its subscription with the lease. */
type Sent = { readonly current: Notification; readonly record: SubscriptionRecord };

type Ended = { readonly outcome: SendOutcome; readonly hasNext: boolean };

type NotedState = Pick<DeliveryRecord, "status"> & { readonly problem: string | undefined; readonly dueAt?: number };

/** The id of a notification, which all attempts to send it share. */
function idOf({ runId, id }: { runId: string; id: string }, { position }: Notification): string {
  return `${runId}:${id}:${position}`;
}

/**
 * Returns true if a subscription may be notified now. After a failure of its receiver, it has an entry in the outbox
 * for its next attempt.
 */
function isOpen(record: SubscriptionRecord | null, now: number): record is SubscriptionRecord {
  return record !== null && record.isOver !== true && (record.dueAt ?? 0) <= now;
}

async function nextOf(notifications: AsyncGenerator<Notification, void>): Promise<Notification | undefined> {
  const next = await notifications.next();
  return next.done === true ? undefined : next.value;
}
