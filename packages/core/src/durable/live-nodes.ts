import { runNamespaces } from "../journal/log-entry.ts";
import { scan } from "../session/scan.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { isRecord } from "../util/is-record.ts";
import { readSubscriptionKey, subscriptionKeys } from "./subscription-record.ts";

/** Milliseconds without a beat after which a process is taken for dead, by the clock of the one that looks. */
const deadAfterMs = 30_000;

type Seen = { beat: unknown; since: number };

/**
 * The processes that serve subscriptions: each has a record that it changes from time to time. One whose record is gone, or has
 * stayed the same for long, is dead. No clock is compared with another.
 */
export class LiveNodes {
  readonly #storage: StorageDriver;
  readonly #node: string;
  readonly #seen = new Map<string, Seen>();
  /** True until the first look of a process that has the storage to itself: all others are of the past. */
  #isAlone: boolean;
  #beats = 0;
  #hasLeft = false;

  constructor(storage: StorageDriver, node: string, isAlone: boolean) {
    this.#storage = storage;
    this.#node = node;
    this.#isAlone = isAlone;
  }

  /** Says that this process lives, if it has not yet. */
  async beat(): Promise<void> {
    if (this.#beats === 0) await this.#write();
  }

  /** Looks at the processes, and returns a function that tells which of them live. */
  async look(): Promise<(node: string) => boolean> {
    if (this.#beats > 0) await this.#write();
    const now = performance.now();
    const there = await this.#readBeats();
    for (const [node, beat] of there) {
      const seen = this.#seen.get(node);
      if (seen?.beat !== beat) this.#seen.set(node, { beat, since: this.#isAlone ? -Infinity : now });
    }
    for (const node of this.#seen.keys()) if (!there.has(node)) this.#seen.delete(node);
    this.#isAlone = false;
    return (node) => node === this.#node || now - (this.#seen.get(node)?.since ?? -Infinity) < deadAfterMs;
  }

  async #readBeats(): Promise<Map<string, unknown>> {
    const beats = new Map<string, unknown>();
    const { subscriptions: namespace } = runNamespaces;
    for await (const page of scan(this.#storage, { namespace, prefix: subscriptionKeys.nodes })) {
      for (const { key, value } of page) beats.set(readSubscriptionKey(key).runId, isRecord(value) ? value["beat"] : 0);
    }
    return beats;
  }

  /** Removes the records of dead processes that serve none of the subscriptions any more. */
  async forget(named: ReadonlySet<string>): Promise<void> {
    const now = performance.now();
    for (const [node, { since }] of this.#seen) {
      if (node === this.#node || named.has(node) || now - since < deadAfterMs) continue;
      await this.#storage.delete(runNamespaces.subscriptions, subscriptionKeys.ofNode(node));
    }
  }

  /** Says that this process serves none any more. */
  async leave(): Promise<void> {
    this.#hasLeft = true;
    if (this.#beats > 0) await this.#storage.delete(runNamespaces.subscriptions, subscriptionKeys.ofNode(this.#node));
  }

  async #write(): Promise<void> {
    if (this.#hasLeft) return;
    this.#beats += 1;
    const value = { v: 1, beat: this.#beats };
    await this.#storage.set(runNamespaces.subscriptions, subscriptionKeys.ofNode(this.#node), value);
  }
}
