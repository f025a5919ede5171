import { mapBounded } from "../../base/async/map-bounded.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { runNamespaces } from "../../agents/journal/log-entry.ts";
import { scan } from "../../sessions/session/scan.ts";
import { encodeKey } from "../../sessions/storage/encode-key.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { OwnerKey } from "../../sessions/storage/owner-key.ts";
import type { KeyVault } from "../record/key-vault.ts";
import { webhookKey } from "../record/run-notice.ts";
import type { WebhookRef } from "../record/run-notice.ts";
import { isEnded } from "../record/run-record.ts";
import type { RunRecord } from "../record/run-record.ts";
import type { RunStore } from "../record/run-store.ts";
import { deliveryPrefix, readDelivery } from "./delivery-record.ts";
import type { RunWebhook } from "./webhook-options.ts";

const namespace = runNamespaces.webhooks;
/** Milliseconds between two searches for webhooks whose runs no longer need them. */
const pruneMs = 10_000;
/** Milliseconds after which no process can still be accepting the run of a webhook. */
const acceptedMs = 60_000;

type Init = {
  readonly store: RunStore;
  readonly vault: KeyVault;
  readonly now: () => number;
  readonly maxPerOwner: number;
};

type StoredWebhook = { readonly v: 1; readonly createdAt: number; readonly sealed: string; disabledAt?: number };

/**
 * The webhooks of single runs, stored encrypted and counted by owner, and the records that mark webhooks as disabled.
 */
export class StoredWebhooks {
  readonly #init: Init;
  #prunedAt = -Infinity;

  constructor(init: Init) {
    this.#init = init;
  }

  /**
   * Stores the webhook of a run that is about to be accepted. Returns false if the run already has a webhook. Too many
   * webhooks of its owner are `rate_limited`.
   */
  async add(run: WebhookRef, webhook: RunWebhook): Promise<boolean> {
    const { store, vault, now, maxPerOwner } = this.#init;
    if (!vault.canSeal) throw noSealKeys();
    const key = webhookKey(run);
    const stored: StoredWebhook = {
      v: 1,
      createdAt: now(),
      sealed: vault.sealText(placeOf(key), JSON.stringify(webhook)),
    };
    if (!(await store.storage.compareAndSet(namespace, key, null, stored))) return false;
    // The webhooks are counted after this one is stored, so that requests at the same time never exceed the limit
    // together.
    try {
      if ((await this.#count(run)) > maxPerOwner) throw tooMany(maxPerOwner);
    } catch (error) {
      await this.remove(run);
      throw error;
    }
    return true;
  }

  /**
   * Returns the webhook of a run; undefined if it was removed or disabled, or cannot be opened with these seal keys.
   */
  async read(run: WebhookRef): Promise<RunWebhook | "disabled" | undefined> {
    const { store, vault } = this.#init;
    const key = webhookKey(run);
    const stored = readWebhook(await store.storage.get(namespace, key));
    if (stored === undefined) return undefined;
    if (stored.disabledAt !== undefined) return "disabled";
    const text = vault.openText(placeOf(key), stored.sealed);
    return text === undefined ? undefined : (JSON.parse(text) as RunWebhook);
  }

  /** Removes the webhook of a run. */
  async remove(run: WebhookRef): Promise<void> {
    await this.#init.store.storage.delete(namespace, webhookKey(run));
  }

  /** Removes the webhook of a run that is over, if no delivery to it is pending. */
  async removeIfDone(run: WebhookRef): Promise<void> {
    const record = await this.#init.store.read(run.runId);
    if (record !== null && (await this.#isDone(record))) await this.remove(run);
  }

  /** Marks the webhook of a run as disabled. Returns false if it was disabled already, or was removed. */
  async disable(run: WebhookRef): Promise<boolean> {
    const { store, now } = this.#init;
    const key = webhookKey(run);
    for (;;) {
      const value = await store.storage.get(namespace, key);
      const stored = readWebhook(value);
      if (stored === undefined || stored.disabledAt !== undefined) return false;
      const next = { ...stored, disabledAt: now() };
      if (await store.storage.compareAndSet(namespace, key, value, next)) return true;
    }
  }

  /** Marks a webhook of the service as disabled. Returns false if it was disabled already. */
  async disableTarget(id: string): Promise<boolean> {
    const { store, now } = this.#init;
    return await store.storage.compareAndSet(namespace, targetKey(id), null, { v: 1, disabledAt: now() });
  }

  /** Removes the mark of a disabled webhook of the service. */
  async enableTarget(id: string): Promise<void> {
    await this.#init.store.storage.delete(namespace, targetKey(id));
  }

  /** Returns true if a webhook of the service is disabled. */
  async isDisabled(id: string): Promise<boolean> {
    return (await this.#init.store.storage.get(namespace, targetKey(id))) !== null;
  }

  /**
   * Counts the webhooks of an owner's runs. If the limit is exceeded, first removes the webhooks that are no longer
   * needed.
   */
  async #count({ owner }: Pick<WebhookRef, "owner">): Promise<number> {
    const { maxPerOwner, now } = this.#init;
    const found = await this.#list(owner);
    if (found.length <= maxPerOwner || now() - this.#prunedAt < pruneMs) return found.length;
    this.#prunedAt = now();
    const kept = await mapBounded(found, async (each) => !(await this.#prune(each)));
    return kept.filter(Boolean).length;
  }

  async #list(owner: OwnerKey): Promise<{ key: string; value: Json }[]> {
    const found: { key: string; value: Json }[] = [];
    for await (const page of scan(this.#init.store.storage, { namespace, prefix: `${owner}/` })) {
      found.push(...page);
      if (found.length > this.#init.maxPerOwner) break;
    }
    return found;
  }

  /** Removes a webhook that a crash has left behind: its run does not exist, or all its deliveries are over. */
  async #prune({ key, value }: { key: string; value: Json }): Promise<boolean> {
    const { store, now } = this.#init;
    const run = await store.read(decodeURIComponent(key.slice(key.lastIndexOf("/") + 1)));
    const isAccepted = now() - (readWebhook(value)?.createdAt ?? 0) >= acceptedMs;
    const isLeft = run === null ? isAccepted : await this.#isDone(run);
    return isLeft && (await store.storage.compareAndSet(namespace, key, value, null));
  }

  async #isDone({ runId, status, notices = [] }: RunRecord): Promise<boolean> {
    if (!isEnded(status) || notices.length > 0) return false;
    const range = { namespace: runNamespaces.deliveries, prefix: deliveryPrefix(runId) };
    for await (const page of scan(this.#init.store.storage, range)) {
      const records = page.map(({ key, value }) => readDelivery(value, key));
      if (records.some((record) => record?.target === "run" && record.status === "pending")) return false;
    }
    return true;
  }
}

function readWebhook(value: Json | null): StoredWebhook | undefined {
  const isStored = isRecord(value) && value["v"] === 1 && typeof value["sealed"] === "string";
  return isStored ? (value as unknown as StoredWebhook) : undefined;
}

/** Returns the key of the record that marks a webhook of the service as disabled. No owner's key begins with `#`. */
function targetKey(id: string): string {
  return `#service/${encodeKey(id)}`;
}

/**
 * Returns the context string to which the encryption binds a run's webhook. With another string it cannot be decrypted.
 */
function placeOf(key: string): string {
  return `webhook/${key}`;
}

function tooMany(most: number): TroupeError {
  return new TroupeError(
    "rate_limited",
    `An owner may have at most ${most} runs with a webhook of their own whose events are not all delivered. Try again later.`,
  );
}

function noSealKeys(): TroupeError {
  return new TroupeError(
    "invalid_request",
    "A run with a webhook of its own would store its secret. Give the RunService sealKeys, with which it is encrypted, or leave webhook out.",
  );
}
