import { TroupeError } from "@troupe/core";
import type { Logger, SessionOwner } from "@troupe/core";
import type { HeldSubscription, RunService } from "@troupe/core/runs";
import type { DrainableRuns } from "@troupe/core/transport";
import type { TaskRun } from "../tasks/task-runs.ts";
import { A2AError } from "../wire/a2a-error.ts";
import type { Dialect } from "../wire/dialect.ts";
import { dialectOfVersion } from "../wire/parse-call.ts";
import type { PushConfig } from "../wire/push-config.ts";
import { PushDelivery } from "./push-delivery.ts";
import type { PushSettings } from "./push-options.ts";
import { PushPost } from "./push-post.ts";
import { PushSigner } from "./push-signer.ts";

/** Milliseconds between two searches for deliveries of crashed processes. */
const lookMs = 10_000;

/** A push config as stored in its subscription, with the A2A version of the request that set it. */
type KeptConfig = { readonly version: string; readonly config: PushConfig & { readonly id: string } };

/** A push config to set for a task. */
export type NewConfig = {
  readonly config: PushConfig & { readonly id: string };
  readonly dialect: Dialect;
  readonly owner: SessionOwner;
  /** True to notify of all events of the task; false for events from now on. */
  readonly fromStart: boolean;
};

type SenderInit = {
  readonly settings: PushSettings;
  readonly logger: Logger;
  /** The host's run service, whose tasks outlive this process. */
  readonly durable: RunService | undefined;
  /** The address of the server, if known. */
  readonly issuer: string | undefined;
};

/** All push deliveries of a server: those that started in this process, and those taken over from crashed processes. */
export class PushSender implements DrainableRuns {
  readonly signer: PushSigner;
  readonly settings: PushSettings;
  readonly #logger: Logger;
  readonly #durable: RunService | undefined;
  readonly #post: PushPost;
  /** The unfinished push deliveries of this process, by task and config id. */
  readonly #deliveries = new Map<string, PushDelivery>();
  /** The last pending change of each push config, by task and config id. */
  readonly #changes = new Map<string, Promise<void>>();
  /** The run services whose end this object already awaits. */
  readonly #services = new WeakSet<RunService>();
  readonly #timer: NodeJS.Timeout | undefined;
  /** Aborts when all deliveries are over: this object then no longer listens for the ends of the run services. */
  readonly #over = new AbortController();
  #isLooking = false;
  #isEnding = false;

  constructor({ settings, logger, durable, issuer }: SenderInit) {
    this.settings = settings;
    this.#logger = logger;
    this.#durable = durable;
    this.signer = new PushSigner(settings.signingKey, issuer);
    this.#post = new PushPost(settings, this.signer, logger);
    if (durable === undefined) return;
    this.#timer = setInterval(() => void this.#takeUp(durable), lookMs).unref();
    setImmediate(() => void this.#takeUp(durable)).unref();
  }

  /** The number of unfinished deliveries, without those of tasks that wait for their clients. */
  get size(): number {
    return [...this.#deliveries.values()].filter(({ isResting }) => !isResting).length;
  }

  /** Throws `invalid-params` for a push config whose address is never notified. */
  async check({ url }: PushConfig): Promise<void> {
    await this.#post.checkUrl(url);
  }

  /** Stores a checked push config for its task, replacing a config with the same id, and starts notifying. */
  async set({ run }: TaskRun, { config, dialect, owner, fromStart }: NewConfig): Promise<void> {
    const data = { version: dialect.version, config } satisfies KeptConfig;
    const { maxPerTask: most } = this.settings;
    const request = { id: config.id, data, fromStart, most };
    const { service } = run;
    await this.#inTurn(keyOf(run.runId, config.id), async (key) => {
      const held = await service.subscriptions.put(run.runId, owner, request).catch(refuseMore);
      if (held !== undefined) this.#begin(service, held);
      else this.#end(key);
    });
  }

  /** Returns the push configs of a task, the oldest first. */
  async list({ run }: TaskRun, owner: SessionOwner): Promise<KeptConfig["config"][]> {
    const found = await run.service.subscriptions.list(run.runId, owner);
    return found.map(({ data }) => (data as KeptConfig).config);
  }

  /** Removes a push config if the task has it. */
  async delete({ run }: TaskRun, owner: SessionOwner, id: string): Promise<void> {
    await this.#inTurn(keyOf(run.runId, id), async (key) => {
      await run.service.subscriptions.delete(run.runId, owner, id);
      this.#end(key);
    });
  }

  /** Runs the changes of one push config one after the other, so that the delivery matches the stored config. */
  async #inTurn(key: string, change: (key: string) => Promise<void>): Promise<void> {
    const before = this.#changes.get(key);
    const changed = (async () => {
      await before?.catch(() => undefined);
      await change(key);
    })();
    this.#changes.set(key, changed);
    try {
      await changed;
    } finally {
      if (this.#changes.get(key) === changed) this.#changes.delete(key);
    }
  }

  /**
   * Makes the deliveries of a task that was waiting for its client continue immediately, instead of at the next look at
   * its run.
   */
  wake(runId: string): void {
    for (const [key, delivery] of this.#deliveries) if (key.startsWith(`${runId}/`)) delivery.wake();
  }

  /** Waits for all deliveries of tasks that end with this process, except for tasks that wait for their clients. */
  async flush(): Promise<void> {
    this.#isEnding = true;
    const ending = [...this.#deliveries.values()].filter(({ service }) => service !== this.#durable);
    for (const delivery of ending) delivery.finish();
    await Promise.all(ending.map(({ over }) => over));
  }

  /**
   * Leaves the deliveries of durable tasks to other processes after their current attempts. Resolves when all
   * deliveries are over.
   */
  async drain(): Promise<void> {
    this.#stopLooking();
    const all = [...this.#deliveries.values()];
    for (const delivery of all) if (delivery.service === this.#durable) delivery.stop();
    await Promise.all(all.map(({ over }) => over));
    this.#over.abort();
    await this.#durable?.subscriptions.release().catch(() => undefined);
  }

  /** Ends all push deliveries at once. */
  endAll(): void {
    this.#stopLooking();
    for (const delivery of this.#deliveries.values()) delivery.abort();
    this.#over.abort();
  }

  #stopLooking(): void {
    this.#isEnding = true;
    clearInterval(this.#timer);
  }

  /** Takes over push deliveries that no live process makes. Never rejects. */
  async #takeUp(durable: RunService): Promise<void> {
    if (this.#isLooking || this.#isEnding) return;
    this.#isLooking = true;
    try {
      for await (const held of durable.subscriptions.takeUp()) {
        if (this.#isEnding) return;
        this.#begin(durable, held);
      }
    } catch (error) {
      // This error code means that the host has closed the run service.
      if (TroupeError.is(error) && error.code === "unavailable") return clearInterval(this.#timer);
      this.#logger.warn("Push notifications of other processes could not be taken up. That is tried again.", { error });
    } finally {
      this.#isLooking = false;
    }
  }

  #begin(service: RunService, held: HeldSubscription): void {
    const { runId, id, data } = held.subscription;
    const { version, config } = data as KeptConfig;
    const key = keyOf(runId, id);
    this.#end(key);
    this.#endWith(service);
    const of = { service, held, config, dialect: dialectOfVersion(version) };
    const delivery = new PushDelivery(of, { post: this.#post, logger: this.#logger });
    this.#deliveries.set(key, delivery);
    void delivery.over.finally(() => {
      if (this.#deliveries.get(key) === delivery) this.#deliveries.delete(key);
    });
    if (this.#isEnding && service === this.#durable) delivery.stop();
  }

  /** Ends the deliveries of a run service when the host closes it. */
  #endWith(service: RunService): void {
    if (this.#services.has(service)) return;
    this.#services.add(service);
    const end = (): void => {
      for (const delivery of this.#deliveries.values()) if (delivery.service === service) delivery.stop();
    };
    service.subscriptions.closed.addEventListener("abort", end, { signal: this.#over.signal });
  }

  #end(key: string): void {
    this.#deliveries.get(key)?.stop();
    this.#deliveries.delete(key);
  }
}

/** Reports a refused push config as wrong parameters: a task with too many configs has not failed. */
function refuseMore(error: unknown): never {
  if (TroupeError.is(error) && error.code === "conflict") throw new A2AError("invalid-params", error.message);
  throw error;
}

function keyOf(runId: string, id: string): string {
  return `${runId}/${id}`;
}
