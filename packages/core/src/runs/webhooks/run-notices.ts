import { runNamespaces } from "../../agents/journal/log-entry.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { ownerKey } from "../../sessions/storage/owner-key.ts";
import { createId } from "../../base/util/create-id.ts";
import { equalJson } from "../../base/util/equal-json.ts";
import { removeDeliveries, toNotice } from "../record/run-notice.ts";
import type { NoticeReceiver, RunNotice, WebhookEvent } from "../record/run-notice.ts";
import type { RunRecord, RunStorage } from "../record/run-record.ts";
import type { RunNotifier, RunStore } from "../record/run-store.ts";
import { insertRecords, writeInOrder } from "../record/run-writes.ts";
import type { Insert } from "../record/run-writes.ts";
import { asJson, deliveryKey, deliveryPrefix, outboxKey, readDelivery } from "./delivery-record.ts";
import type { DeliveryRecord, OutboxEntry } from "./delivery-record.ts";
import { idOf } from "./webhook-options.ts";
import type { TargetSettings, WebhookSettings } from "./webhook-options.ts";

/**
 * The largest number of deliveries of a run that are kept. Beyond it, the oldest deliveries are removed, first the
 * deliveries that are no longer pending.
 */
const mostDeliveries = 200;

/** An entry of the outbox with its key. */
export type DueDelivery = { readonly key: string; readonly entry: OutboxEntry };

type Init = {
  readonly store: RunStore;
  readonly settings: WebhookSettings;
  readonly now: () => number;
  /** Makes the entries of the outbox that wake a run's subscriptions, which then read the run's new events. */
  readonly wake: (record: RunRecord) => Promise<readonly DueDelivery[]>;
  /** Receives new entries of the outbox. */
  readonly onDue: (due: DueDelivery) => void;
};

/**
 * Records the events of runs for the webhooks that want them, and puts their deliveries in the outbox. Also wakes the
 * subscriptions of a run when its state changes.
 */
export class RunNotices implements RunNotifier {
  readonly #init: Init;
  /** The webhooks of the service, each with a hash of its host. */
  readonly #targets: readonly (TargetSettings & { readonly host: string })[];

  constructor(init: Init) {
    this.#init = init;
    this.#targets = init.settings.targets.map((target) => ({ ...target, host: hostOf(target.url) }));
  }

  note(given: RunRecord): RunRecord {
    const next = given.isSubscribed === true ? { ...given, wakes: createId() } : given;
    if (next.webhook === undefined && this.#targets.length === 0) return next;
    const notice = toNotice(next, this.#init.now());
    const receivers = notice === undefined ? [] : this.#receiversOf(next, notice.type);
    if (notice === undefined || receivers.length === 0) return next;
    return { ...next, notices: [...(next.notices ?? []), { ...notice, receivers }], hasDeliveries: true };
  }

  async enqueue(record: RunRecord): Promise<void> {
    const { runId, notices = [], wakes } = record;
    const { store, onDue } = this.#init;
    const deliveries = notices.flatMap((notice) => deliveriesOf(record, notice));
    const wakings = wakes === undefined ? [] : await this.#init.wake(record);
    const due = [...deliveries.map(({ outbox: { key }, entry }) => ({ key, entry })), ...wakings];
    const insert = async (inserts: readonly Insert[]) => void (await insertRecords(store.storage, inserts));
    const noted: { record: RunRecord | null } = { record: null };
    await writeInOrder("notify", {
      delivery: async () => await insert(deliveries.map(({ delivery }) => delivery)),
      outbox: async () => await insert(due.map(toInsert)),
      noted: async () => (noted.record = await this.#strike(runId, notices, wakes)) !== null,
    });
    const most = Math.max(1, ...notices.map(({ receivers }) => receivers.length));
    // A run has at most one event for each attempt, and one for its end, so that few runs can exceed the limit.
    if ((record.attempts + 1) * most > mostDeliveries) await trimDeliveries(store.storage, runId);
    // If the run was removed meanwhile, its new deliveries are removed, too.
    if (noted.record === null && (await store.readStored(runId)) === null) {
      return await removeDeliveries(store.storage, record);
    }
    for (const each of due) onDue(each);
  }

  /**
   * Removes notices, and the mark of a change of state, from the record of a run. Returns `null` if there was nothing
   * to remove.
   */
  async #strike(runId: string, handled: readonly RunNotice[], woken: string | undefined): Promise<RunRecord | null> {
    const isHandled = (notice: RunNotice) => handled.some(({ key }) => equalJson(key, notice.key));
    return await this.#init.store.change(runId, ({ notices = [], wakes, ...rest }) => {
      const left = notices.filter((notice) => !isHandled(notice));
      const isTold = wakes !== undefined && wakes === woken;
      if (left.length === notices.length && !isTold) return null;
      return { ...rest, ...(left.length > 0 && { notices: left }), ...(wakes !== undefined && !isTold && { wakes }) };
    });
  }

  /** Returns the webhooks that are notified of an event: the id and the host of each. */
  #receiversOf({ webhook }: RunRecord, type: WebhookEvent): NoticeReceiver[] {
    const targets = this.#targets.filter(({ events }) => events.includes(type));
    const own = webhook === undefined ? [] : [{ target: "run", host: webhook }];
    return [...targets.map(({ id, host }) => ({ target: id, host })), ...own];
  }
}

/** Removes the oldest deliveries of a run beyond the limit. Pending deliveries among them are no longer sent. */
export async function trimDeliveries(storage: RunStorage, runId: string): Promise<void> {
  const { deliveries: namespace } = runNamespaces;
  const found = await storage.list(namespace, deliveryPrefix(runId));
  const isOpen = ({ key, value }: (typeof found)[number]) => readDelivery(value, key)?.status === "pending";
  const first = [...found.filter((each) => !isOpen(each)), ...found.filter(isOpen)];
  for (const { key } of first.slice(0, Math.max(0, found.length - mostDeliveries))) {
    await storage.delete(namespace, key);
  }
}

/** Returns the insertion of an entry into the outbox. */
export function toInsert({ key, entry }: DueDelivery): Insert {
  return { namespace: runNamespaces.outbox, key, value: asJson(entry) };
}

/** Makes the deliveries of an event, one for each webhook, with their entries in the outbox. */
function deliveriesOf(
  record: RunRecord,
  notice: RunNotice,
): { delivery: Insert; outbox: Insert; entry: OutboxEntry }[] {
  const { type, at, data, key, receivers } = notice;
  const { runId } = record;
  return receivers.map(({ target, host }) => {
    // The id is made from the event, so that an event that is enqueued again after a crash is still one delivery.
    const id = messageId([...key, target]);
    const state = { status: "pending", attempts: 0, dueAt: at } as const;
    const delivery: DeliveryRecord = { v: 1, id, type, at, target, data, ...state };
    const entry: OutboxEntry = {
      v: 1,
      kind: "webhook",
      delivery: deliveryKey(runId, delivery),
      host,
      owner: ownerKey(record.owner),
      webhook: target === "run" ? "run" : "service",
    };
    return {
      delivery: { namespace: runNamespaces.deliveries, key: entry.delivery, value: asJson(delivery) },
      outbox: { namespace: runNamespaces.outbox, key: outboxKey(delivery), value: asJson(entry) },
      entry,
    };
  });
}

function messageId(parts: readonly Json[]): string {
  return `msg_${process.getBuiltinModule("node:crypto").hash("sha256", JSON.stringify(parts)).slice(0, 32)}`;
}

/** Returns the hash of an address's host. */
export function hostOf(url: string): string {
  return idOf(new URL(url).host);
}
