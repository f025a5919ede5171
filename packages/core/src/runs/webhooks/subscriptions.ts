import { createId } from "../../base/util/create-id.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { logPrefix, readLogRecord, runNamespaces } from "../../agents/journal/log-entry.ts";
import type { Logger } from "../../base/log/logger.ts";
import { scan } from "../../sessions/session/scan.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { ownerKey } from "../../sessions/storage/owner-key.ts";
import { toEvents } from "../readers/run-feed.ts";
import { findRun } from "../record/find-runs.ts";
import type { KeyVault } from "../record/key-vault.ts";
import { subscriptionPrefix } from "../record/run-notice.ts";
import { isEnded } from "../record/run-record.ts";
import type { RunRecord, RunStorage } from "../record/run-record.ts";
import type { RunStore } from "../record/run-store.ts";
import { insertRecords } from "../record/run-writes.ts";
import type { RunCaller } from "../record/run-view.ts";
import { outboxKey } from "./delivery-record.ts";
import { hostOf, toInsert } from "./run-notices.ts";
import type { DueDelivery } from "./run-notices.ts";
import {
  subscriptionAsJson,
  readSubscription,
  readSubscriptionKey,
  sealPlace,
  subscriptionKey,
} from "./subscription-record.ts";
import type { SubscriptionPlace, SubscriptionRecord } from "./subscription-record.ts";

/** A subscription to a run in the form that its owner may see. */
export type RunSubscription = {
  readonly id: string;
  /** The protocol's data of the subscription, such as an address and a token. It is sealed in a lasting storage. */
  readonly data: Json;
};

/** A request for a new subscription. */
export type RunSubscriptionRequest = RunSubscription & {
  /** The form of the subscription's notifications, registered by `addForm`. */
  readonly form: string;
  /** The address of the receiver, which the caller has checked. */
  readonly url: string;
  /** True to notify of all events of the run from its beginning; false to notify only of new events. */
  readonly fromStart: boolean;
  /** The maximum number of subscriptions of a run. */
  readonly most: number;
};

/**
 * Milliseconds after which a new subscription is woken if the process crashes while it stores the subscription.
 * Otherwise it is woken immediately.
 */
const safetyMs = 10_000;

type Init = {
  readonly store: RunStore;
  readonly vault: KeyVault;
  readonly now: () => number;
  readonly logger: Logger | undefined;
  /** Receives new entries of the outbox. */
  readonly onDue: (due: DueDelivery) => void;
};

const namespace = runNamespaces.webhooks;

/**
 * Subscriptions to runs: webhooks in the form of a protocol, which are notified of a run's attempts, waits and end, in
 * order. They are stored with the run, each with its position, and removed with it.
 */
export class Subscriptions {
  readonly #init: Init;
  readonly #storage: RunStorage;

  constructor(init: Init) {
    this.#init = init;
    this.#storage = init.store.storage;
  }

  /** Makes or replaces a subscription to a run. Too many subscriptions are `conflict`. */
  async put(runId: string, caller: RunCaller, request: RunSubscriptionRequest): Promise<void> {
    const { store, vault, now, onDue } = this.#init;
    const run = await findRun({ store }, runId, caller);
    const { id, form, data, url, fromStart, most } = request;
    const others = (await this.list(runId, caller)).filter((other) => other.id !== id);
    if (others.length >= most) throw new TroupeError("conflict", `A run takes at most ${most} subscriptions.`);
    // The run is marked first, because its removal removes the subscriptions that exist then.
    await store.change(runId, (found) => (found.isSubscribed === true ? null : { ...found, isSubscribed: true }));
    const key = subscriptionKey(runId, id);
    const record: SubscriptionRecord = {
      v: 1,
      form,
      data: vault.sealText(sealPlace(key), JSON.stringify(data)),
      host: hostOf(url),
      createdAt: now(),
      ...(fromStart ? { sent: 0, attempt: 0 } : await this.presentOf(run)),
      ...(isEnded(run.status) && !fromStart && { isOver: true }),
      told: 0,
      attempts: 0,
    };
    // The entry of the outbox is stored first, so that a stored subscription is always woken.
    const due = toDue(run, { key, record }, now() + safetyMs);
    await insertRecords(this.#storage, [toInsert(due)]);
    await this.#storage.set(namespace, key, subscriptionAsJson(record));
    if ((await store.readStored(runId)) === null) await this.#storage.delete(namespace, key);
    onDue(due);
  }

  /** Returns the subscriptions to a run, the oldest first. */
  async list(runId: string, caller: RunCaller): Promise<RunSubscription[]> {
    const run = await findRun(this.#init, runId, caller);
    const found = await this.#read(run);
    return found
      .toSorted((one, other) => one.record.createdAt - other.record.createdAt)
      .flatMap(({ key, record }) => {
        const data = this.open(key, record);
        return data === undefined ? [] : [{ id: readSubscriptionKey(key).id, data }];
      });
  }

  /** Removes the subscription with this id, if it exists. */
  async delete(runId: string, caller: RunCaller, id: string): Promise<void> {
    const run = await findRun(this.#init, runId, caller);
    await this.#storage.delete(namespace, subscriptionKey(run.runId, id));
  }

  /**
   * Makes the entries of the outbox, without storing them, that wake a run's subscriptions, which then read the run's
   * new events.
   */
  async wake(run: RunRecord): Promise<DueDelivery[]> {
    const open = (await this.#read(run)).filter(({ record }) => record.isOver !== true);
    return open.map((each) => toDue(run, each, this.#init.now()));
  }

  /** Returns the data of a subscription; undefined if none of the seal keys opens it. */
  open(key: string, { data }: SubscriptionRecord): Json | undefined {
    const text = this.#init.vault.openText(sealPlace(key), data);
    if (text !== undefined) return JSON.parse(text) as Json;
    const { runId } = readSubscriptionKey(key);
    this.#init.logger?.warn("A subscription to a run is not served: none of the sealKeys opens it.", { runId });
    return undefined;
  }

  /** Returns the position after the existing events of a run. */
  async presentOf({ runId, attempts }: Pick<RunRecord, "runId" | "attempts">): Promise<SubscriptionPlace> {
    const prefix = logPrefix(runId);
    const found = await this.#storage.list(runNamespaces.log, prefix, { reverse: true, limit: 1 });
    // A driver may ignore the options of a listing, such as the order.
    const last = found.toSorted((one, other) => (one.key < other.key ? 1 : -1))[0];
    if (last === undefined) return { sent: 0, attempt: 0 };
    const record = readLogRecord(last.value, { namespace: runNamespaces.log, key: last.key });
    const after = toEvents({ number: Number(last.key.slice(prefix.length)), record }).events.at(-1)?.id;
    return { ...(after !== undefined && { after }), sent: 0, attempt: attempts };
  }

  async #read({ runId, isSubscribed }: RunRecord): Promise<{ key: string; record: SubscriptionRecord }[]> {
    const found: { key: string; record: SubscriptionRecord }[] = [];
    if (isSubscribed !== true) return found;
    for await (const page of scan(this.#storage, { namespace, prefix: subscriptionPrefix(runId) })) {
      for (const { key, value } of page) {
        const record = readSubscription(value, key);
        if (record !== null) found.push({ key, record });
      }
    }
    return found;
  }
}

/**
 * Makes an entry of the outbox for a subscription. The key of the entry is unique, so that its removal never removes
 * another entry.
 */
function toDue(
  { owner }: Pick<RunRecord, "owner">,
  { key, record: { form, host } }: { key: string; record: SubscriptionRecord },
  dueAt: number,
): DueDelivery {
  const entry = { v: 1, kind: "webhook", delivery: key, form, host, owner: ownerKey(owner), webhook: "run" } as const;
  return { key: outboxKey({ dueAt, id: createId() }), entry };
}
