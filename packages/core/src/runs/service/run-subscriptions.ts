import { TroupeError } from "../../base/errors/troupe-error.ts";
import { logPrefix, readLogRecord, runNamespaces } from "../../agents/journal/log-entry.ts";
import type { Logger } from "../../base/log/logger.ts";
import { scan } from "../../sessions/session/scan.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { StorageEntry } from "../../sessions/storage/storage-driver.ts";
import type { KeyVault } from "../record/key-vault.ts";
import type { LiveNodes } from "../processes/live-nodes.ts";
import { toEvents } from "../readers/run-feed.ts";
import { equalJson } from "../../base/util/equal-json.ts";
import { isEnded } from "../record/run-record.ts";
import type { RunRecord, RunStorage } from "../record/run-record.ts";
import type { RunStore } from "../record/run-store.ts";
import type { RunCaller } from "../record/run-view.ts";
import { readSubscription, readSubscriptionKey, subscriptionKeys } from "../record/run-parts.ts";
import type { SubscriptionPlace, SubscriptionRecord } from "../record/run-parts.ts";

/** A subscription to a run in the form that its owner may see. */
export type RunSubscription = {
  readonly runId: string;
  readonly id: string;
  /** The transport's data of the subscription, such as an address and a token. It is sealed in a persistent storage. */
  readonly data: Json;
};

/** A request for a new subscription. */
export type RunSubscriptionRequest = Omit<RunSubscription, "runId"> & {
  /** True to deliver all events of the run from its beginning; false to deliver only new events. */
  readonly fromStart: boolean;
  /** The maximum number of subscriptions of a run. */
  readonly most: number;
};

type Init = {
  readonly store: RunStore;
  readonly vault: KeyVault;
  readonly logger: Logger | undefined;
  readonly nodes: LiveNodes;
  readonly now: () => number;
  readonly find: (runId: string, caller: RunCaller) => Promise<RunRecord>;
};

const namespace = runNamespaces.subscriptions;

/**
 * Subscriptions to runs for receivers other than the runs' clients, such as webhooks. They are stored beside the run,
 * each with its delivered position, and removed with the run. A transport delivers the events. One process at a time
 * serves a subscription; another takes it over if that process dies.
 */
export class RunSubscriptions {
  readonly #init: Init;
  readonly #storage: RunStorage;
  readonly #end = new AbortController();
  /**
   * Subscriptions, by key, that a failed write may have stored in the name of this process. No process serves them
   * until the next `takeUp`.
   */
  readonly #unserved = new Map<string, SubscriptionRecord>();

  constructor(init: Init) {
    this.#init = init;
    this.#storage = init.store.storage;
  }

  /** Aborts when the service is closed and can no longer serve subscriptions. */
  get closed(): AbortSignal {
    return this.#end.signal;
  }

  /** True if subscriptions can be stored: in a persistent storage their data requires seal keys. */
  get canKeep(): boolean {
    return this.#init.vault.canSeal;
  }

  /**
   * Makes or replaces a subscription to a run. Returns the object that serves it; `undefined` if the run is over and
   * only new events were requested, because none follow. Too many subscriptions are `conflict`.
   */
  async put(runId: string, caller: RunCaller, request: RunSubscriptionRequest): Promise<HeldSubscription | undefined> {
    const { store, nodes, now } = this.#init;
    const run = await this.#init.find(runId, caller);
    const { id, data, fromStart, most } = request;
    const others = (await this.list(runId, caller)).filter((other) => other.id !== id);
    if (others.length >= most) throw new TroupeError("conflict", `A run takes at most ${most} subscriptions.`);
    await nodes.subscribe();
    // The record first notes that the run has subscriptions, so that a removal of the run also removes this one.
    await store.change(runId, (record) => (record.isSubscribed === true ? null : { ...record, isSubscribed: true }));
    const place = fromStart ? { sent: 0, attempt: 0 } : await this.#presentOf(run);
    const sealed = this.#init.vault.sealText(placeOf(runId, id), JSON.stringify(data));
    const record: SubscriptionRecord = { v: 1, node: nodes.id, data: sealed, createdAt: now(), ...place };
    const isOver = isEnded(run.status) && !fromStart;
    await this.#serve(subscriptionKeys.of("open", runId, id), record, async () => {
      await this.#write(isOver ? "over" : "open", { runId, id, record });
      if ((await store.read(runId)) === null) await this.#remove(runId, id);
    });
    return isOver ? undefined : this.#hold({ runId, id, data }, record);
  }

  /** Returns the subscriptions to a run, the oldest first. */
  async list(runId: string, caller: RunCaller): Promise<RunSubscription[]> {
    const run = await this.#init.find(runId, caller);
    if (run.isSubscribed !== true) return [];
    const found = new Map<string, { subscription: RunSubscription; createdAt: number }>();
    for await (const { key, value } of this.#entriesOf(runId)) {
      const record = readSubscription(value, key);
      const subscription = this.#open(key, record);
      // If two subscriptions have one id, the open one is newer: the other was not removed when it was replaced.
      if (subscription === undefined || found.has(subscription.id)) continue;
      found.set(subscription.id, { subscription, createdAt: record.createdAt });
    }
    const sorted = [...found.values()].toSorted((one, other) => one.createdAt - other.createdAt);
    return sorted.map(({ subscription }) => subscription);
  }

  async *#entriesOf(runId: string): AsyncGenerator<StorageEntry, void> {
    for (const state of ["open", "over"] as const) {
      const prefix = subscriptionKeys.ofRun(state, runId);
      for await (const page of scan(this.#storage, { namespace, prefix })) yield* page;
    }
  }

  /** Removes a subscription, if there is a subscription of this id. */
  async delete(runId: string, caller: RunCaller, id: string): Promise<void> {
    await this.#init.find(runId, caller);
    await this.#remove(runId, id);
  }

  /**
   * Takes over the subscriptions that no live process serves, and publishes that this process is alive. Call it
   * periodically: a process that stops calling it counts as dead.
   */
  async *takeUp(): AsyncGenerator<HeldSubscription, void> {
    if (this.closed.aborted) throw new TroupeError("unavailable", "The run service was closed.");
    const { nodes } = this.#init;
    const isLive = await nodes.look();
    const unserved = new Map(this.#unserved);
    for await (const page of scan(this.#storage, { namespace, prefix: subscriptionKeys.open })) {
      for (const { key, value } of page) {
        const record = readSubscription(value, key);
        const isServed = record.node === nodes.id ? !equalJson(unserved.get(key), value) : isLive(record.node);
        if (isServed) continue;
        const subscription = this.#open(key, record);
        if (subscription === undefined) continue;
        await nodes.subscribe();
        const mine: SubscriptionRecord = { ...record, node: nodes.id };
        const take = async () => await this.#storage.compareAndSet(namespace, key, value, asJson(mine));
        if (await this.#serve(key, mine, take)) yield this.#hold(subscription, mine);
      }
    }
    for (const [key, record] of unserved) if (this.#unserved.get(key) === record) this.#unserved.delete(key);
    await nodes.forget();
  }

  /** Ends the serving of subscriptions by this process, when its service is closed. */
  async close(): Promise<void> {
    this.#end.abort();
    // If the storage does not answer, this process counts as dead after a while, and others take the subscriptions
    // over.
    await this.release().catch(() => undefined);
  }

  /** Gives up all subscriptions that this process serves, so that another process may take them over immediately. */
  async release(): Promise<void> {
    await this.#init.nodes.leave();
  }

  /** Returns the position after the last stored event of a run. */
  async #presentOf({ runId, attempts }: RunRecord): Promise<SubscriptionPlace> {
    const prefix = logPrefix(runId);
    const found = await this.#storage.list(runNamespaces.log, prefix, { reverse: true, limit: 1 });
    // A driver may ignore the options of a listing.
    const last = found.toSorted((one, other) => (one.key < other.key ? 1 : -1))[0];
    if (last === undefined) return { sent: 0, attempt: 0 };
    const record = readLogRecord(last.value, { namespace: runNamespaces.log, key: last.key });
    const after = toEvents({ number: Number(last.key.slice(prefix.length)), record }).events.at(-1)?.id;
    return { ...(after !== undefined && { after }), sent: 0, attempt: attempts };
  }

  #open(key: string, { data }: SubscriptionRecord): RunSubscription | undefined {
    const { runId, id } = readSubscriptionKey(key);
    const text = this.#init.vault.openText(placeOf(runId, id), data);
    if (text !== undefined) return { runId, id, data: JSON.parse(text) as Json };
    this.#init.logger?.warn("A subscription to a run is not served: none of the sealKeys opens it.", { runId });
    return undefined;
  }

  /**
   * Makes a write that stores a subscription as served by this process. A failed write may have stored it all the same,
   * so its record is noted, and the next `takeUp` takes it over.
   */
  async #serve<Value>(key: string, record: SubscriptionRecord, write: () => Promise<Value>): Promise<Value> {
    try {
      return await write();
    } catch (error) {
      this.#unserved.set(key, record);
      throw error;
    }
  }

  async #write(state: "open" | "over", { runId, id, record }: Written): Promise<void> {
    await this.#storage.set(namespace, subscriptionKeys.of(state, runId, id), asJson(record));
    const other = state === "open" ? "over" : "open";
    await this.#storage.delete(namespace, subscriptionKeys.of(other, runId, id)).catch((error: unknown) => {
      // An open subscription is already stored for this process. If it were rejected here, no process would serve it.
      if (state === "over") throw error;
      this.#init.logger?.warn("An older subscription to a run could not be removed.", { runId, error });
    });
  }

  async #remove(runId: string, id: string): Promise<void> {
    await this.#storage.delete(namespace, subscriptionKeys.of("open", runId, id));
    await this.#storage.delete(namespace, subscriptionKeys.of("over", runId, id));
  }

  #hold(subscription: RunSubscription, record: SubscriptionRecord): HeldSubscription {
    return new HeldSubscription(this.#storage, subscription, record);
  }
}

type Written = { runId: string; id: string; record: SubscriptionRecord };

/** A subscription that this process serves, until another process takes it over. */
export class HeldSubscription {
  readonly subscription: RunSubscription;
  readonly #storage: RunStorage;
  #record: SubscriptionRecord;

  constructor(storage: RunStorage, subscription: RunSubscription, record: SubscriptionRecord) {
    this.#storage = storage;
    this.subscription = subscription;
    this.#record = record;
  }

  /** The position up to which events were delivered to the subscriber. */
  get place(): SubscriptionPlace {
    return this.#record;
  }

  /**
   * Stores the position of delivery. Returns false if the subscription was removed or replaced, or another process
   * serves it.
   */
  async advance({ after, sent, attempt }: SubscriptionPlace): Promise<boolean> {
    const { after: _after, ...record } = this.#record;
    const next: SubscriptionRecord = { ...record, ...(after !== undefined && { after }), sent, attempt };
    const isMine = await this.#storage.compareAndSet(namespace, this.#key("open"), asJson(this.#record), asJson(next));
    if (isMine) this.#record = next;
    return isMine;
  }

  /** Stores that there are no more events to deliver. */
  async end(): Promise<void> {
    await this.#storage.set(namespace, this.#key("over"), asJson(this.#record));
    const isMine = await this.#storage.compareAndSet(namespace, this.#key("open"), asJson(this.#record), null);
    // The subscription was replaced, or another process serves it. So the record just written is removed, unless the
    // newer subscription has ended, too, and replaced the record.
    if (!isMine) await this.#storage.compareAndSet(namespace, this.#key("over"), asJson(this.#record), null);
  }

  /** Removes the subscription, unless it was replaced or another process serves it. */
  async remove(): Promise<void> {
    await this.#storage.compareAndSet(namespace, this.#key("open"), asJson(this.#record), null);
  }

  #key(state: "open" | "over"): string {
    return subscriptionKeys.of(state, this.subscription.runId, this.subscription.id);
  }
}

/**
 * Returns the name of the record to which the encryption binds a subscription's data: elsewhere it cannot be decrypted.
 */
function placeOf(runId: string, id: string): string {
  return `subscription/${runId}/${id}`;
}

function asJson(record: SubscriptionRecord): Json {
  return record as unknown as Json;
}
