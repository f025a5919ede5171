import { TroupeError } from "../../base/errors/troupe-error.ts";
import { logPrefix, readLogRecord, runNamespaces } from "../../agents/journal/log-entry.ts";
import type { Logger } from "../../base/log/logger.ts";
import { scan } from "../../sessions/session/scan.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { StorageEntry } from "../../sessions/storage/storage-driver.ts";
import type { KeyVault } from "../run-store/key-vault.ts";
import type { LiveNodes } from "../attempts/live-nodes.ts";
import { toEvents } from "../run-events/run-events.ts";
import { equalJson } from "../../base/util/equal-json.ts";
import { isEnded } from "../run-store/run-record.ts";
import type { RunRecord, RunStorage } from "../run-store/run-record.ts";
import type { RunStore } from "../run-store/run-store.ts";
import type { RunCaller } from "../run-store/run-view.ts";
import { readSubscription, readSubscriptionKey, subscriptionKeys } from "../run-store/subscription-record.ts";
import type { SubscriptionPlace, SubscriptionRecord } from "../run-store/subscription-record.ts";

/** A subscription to a run as its owner may see it. */
export type RunSubscription = {
  readonly runId: string;
  readonly id: string;
  /** The data that the transport keeps of it, such as an address and a token: sealed in a lasting storage. */
  readonly data: Json;
};

/** A subscription to make. */
export type SubscriptionRequest = Omit<RunSubscription, "runId"> & {
  /** True to tell of all events of the run from its beginning on, false for those from now on. */
  readonly fromStart: boolean;
  /** The number of subscriptions that a run takes. */
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
 * Subscriptions to runs by others than their clients, such as the receivers of webhooks: kept beside the run, with the place up
 * to which each was told, and removed with it. A transport delivers; one process at a time serves a subscription, and another
 * takes it up when that has died.
 */
export class RunSubscriptions {
  readonly #init: Init;
  readonly #storage: RunStorage;
  readonly #end = new AbortController();
  /** Records, by their keys, that may be stored for this process by a write that failed: nothing serves them. */
  readonly #unserved = new Map<string, SubscriptionRecord>();

  constructor(init: Init) {
    this.#init = init;
    this.#storage = init.store.storage;
  }

  /** Aborts when the service is closed: no subscription to its runs can be served any more. */
  get closed(): AbortSignal {
    return this.#end.signal;
  }

  /** True if subscriptions can be kept: with a lasting storage, their data needs seal keys. */
  get canKeep(): boolean {
    return this.#init.vault.canSeal;
  }

  /**
   * Makes or replaces a subscription to a run. Returns what serves it, or `undefined` for a run that is over: there is nothing
   * to tell. Too many of them are `conflict`.
   */
  async put(runId: string, caller: RunCaller, request: SubscriptionRequest): Promise<HeldSubscription | undefined> {
    const { store, nodes, now } = this.#init;
    const run = await this.#init.find(runId, caller);
    const { id, data, fromStart, most } = request;
    const others = (await this.list(runId, caller)).filter((other) => other.id !== id);
    if (others.length >= most) throw new TroupeError("conflict", `A run takes at most ${most} subscriptions.`);
    await nodes.subscribe();
    // First the run: it is removed with what is there then.
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
      // Of two with an id the open one is newer: the other was not removed when it was replaced.
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

  /** Removes a subscription, if there is one of this id. */
  async delete(runId: string, caller: RunCaller, id: string): Promise<void> {
    await this.#init.find(runId, caller);
    await this.#remove(runId, id);
  }

  /**
   * Takes up the subscriptions that no live process serves, and says that this one lives. Call it from time to time: a process
   * that does not is taken for dead.
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

  /** Ends the serving of subscriptions by this process, with its service. */
  async close(): Promise<void> {
    this.#end.abort();
    // A storage that does not answer gives them up after a while, too.
    await this.release().catch(() => undefined);
  }

  /** Gives up all subscriptions that this process serves: another one may take them up at once. */
  async release(): Promise<void> {
    await this.#init.nodes.leave();
  }

  /** Returns the place behind the events that a run has by now. */
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

  /** Stores a record for this process. What such a write leaves when it fails is taken up later. */
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
      // An open subscription is stored for this process by now: refused, it would be served by none.
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

/** A subscription that this process serves, until another one takes it up. */
export class HeldSubscription {
  readonly subscription: RunSubscription;
  readonly #storage: RunStorage;
  #record: SubscriptionRecord;

  constructor(storage: RunStorage, subscription: RunSubscription, record: SubscriptionRecord) {
    this.#storage = storage;
    this.subscription = subscription;
    this.#record = record;
  }

  /** The place up to which the subscriber was told. */
  get place(): SubscriptionPlace {
    return this.#record;
  }

  /** Stores how far the subscriber was told. Returns false when it was removed or replaced, or another process serves it. */
  async advance({ after, sent, attempt }: SubscriptionPlace): Promise<boolean> {
    const { after: _after, ...record } = this.#record;
    const next: SubscriptionRecord = { ...record, ...(after !== undefined && { after }), sent, attempt };
    const isMine = await this.#storage.compareAndSet(namespace, this.#key("open"), asJson(this.#record), asJson(next));
    if (isMine) this.#record = next;
    return isMine;
  }

  /** Stores that there is nothing more to tell. */
  async end(): Promise<void> {
    await this.#storage.set(namespace, this.#key("over"), asJson(this.#record));
    const isMine = await this.#storage.compareAndSet(namespace, this.#key("open"), asJson(this.#record), null);
    // The one that replaced it, or took it up, may have ended meanwhile.
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

/** The place for which the data of a subscription is sealed. */
function placeOf(runId: string, id: string): string {
  return `subscription/${runId}/${id}`;
}

function asJson(record: SubscriptionRecord): Json {
  return record as unknown as Json;
}
