import { TroupeError } from "@troupe/core";
import type { Logger, SessionOwner } from "@troupe/core";
import type { HeldSubscription, RunService } from "@troupe/core/runs";
import type { EndingRuns } from "@troupe/core/transport";
import type { TaskRun } from "../tasks/task-runs.ts";
import { A2AError } from "../wire/a2a-error.ts";
import type { Dialect } from "../wire/dialect.ts";
import { dialectOfVersion } from "../wire/parse-call.ts";
import type { PushConfig } from "../wire/push-config.ts";
import { PushDelivery } from "./push-delivery.ts";
import type { PushSettings } from "./push-options.ts";
import { PushPost } from "./push-post.ts";
import { PushSigner } from "./push-signer.ts";

/** Milliseconds between two looks for deliveries of processes that have died. */
const lookMs = 10_000;

/** A config as its subscription keeps it, with the version of the protocol that it came in. */
type KeptConfig = { readonly version: string; readonly config: PushConfig & { readonly id: string } };

/** A config to set for a task. */
export type NewConfig = {
  readonly config: PushConfig & { readonly id: string };
  readonly dialect: Dialect;
  readonly owner: SessionOwner;
  /** True to notify of all events of the task, false for those from now on. */
  readonly fromStart: boolean;
};

type SenderInit = {
  readonly settings: PushSettings;
  readonly logger: Logger;
  /** The host's service, whose tasks outlive this process. */
  readonly durable: RunService | undefined;
  /** The address of the server, where it is known. */
  readonly issuer: string | undefined;
};

/** The deliveries of a server's push notifications: those that began here, and those of processes that have died. */
export class PushSender implements EndingRuns {
  readonly signer: PushSigner;
  readonly settings: PushSettings;
  readonly #logger: Logger;
  readonly #durable: RunService | undefined;
  readonly #post: PushPost;
  /** By task and id of the config. */
  readonly #deliveries = new Map<string, PushDelivery>();
  /** The last change under way of each config, by the same key. */
  readonly #changes = new Map<string, Promise<void>>();
  /** The services whose end is awaited. */
  readonly #services = new WeakSet<RunService>();
  readonly #timer: NodeJS.Timeout | undefined;
  /** Aborts when all deliveries are over: then the services are left alone. */
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

  /** The number of deliveries that are not over. */
  get size(): number {
    return [...this.#deliveries.values()].filter(({ isResting }) => !isResting).length;
  }

  /** Throws `invalid-params` for a config whose address is never notified. */
  async check({ url }: PushConfig): Promise<void> {
    await this.#post.checkUrl(url);
  }

  /** Keeps a config that was checked with its task, in the place of one with the same id, and notifies from then on. */
  async set({ service, run }: TaskRun, { config, dialect, owner, fromStart }: NewConfig): Promise<void> {
    const data = { version: dialect.version, config } satisfies KeptConfig;
    const { maxPerTask: most } = this.settings;
    const request = { id: config.id, data, fromStart, most };
    await this.#inTurn(keyOf(run.runId, config.id), async (key) => {
      const held = await service.subscriptions.put(run.runId, owner, request).catch(refuseMore);
      if (held !== undefined) this.#begin(service, held);
      else this.#end(key);
    });
  }

  /** Returns the configs of a task, the oldest first. */
  async list({ service, run }: TaskRun, owner: SessionOwner): Promise<KeptConfig["config"][]> {
    const found = await service.subscriptions.list(run.runId, owner);
    return found.map(({ data }) => (data as KeptConfig).config);
  }

  /** Removes a config, if the task has it. */
  async delete({ service, run }: TaskRun, owner: SessionOwner, id: string): Promise<void> {
    await this.#inTurn(keyOf(run.runId, id), async (key) => {
      await service.subscriptions.delete(run.runId, owner, id);
      this.#end(key);
    });
  }

  /** Makes the changes of one config one after the other: what is delivered for is what was stored last. */
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

  /** Goes on at once with the deliveries of a task that has waited for its client. */
  wake(runId: string): void {
    for (const [key, delivery] of this.#deliveries) if (key.startsWith(`${runId}/`)) delivery.wake();
  }

  /** Waits until all is delivered of the tasks that end with this process. Those that wait for their clients are left. */
  async flush(): Promise<void> {
    this.#isEnding = true;
    const ending = [...this.#deliveries.values()].filter(({ service }) => service !== this.#durable);
    for (const delivery of ending) delivery.finish();
    await Promise.all(ending.map(({ over }) => over));
  }

  /** Hands back the deliveries of durable tasks, after the attempts under way. Resolves when all are over. */
  async drain(): Promise<void> {
    this.#stopLooking();
    const all = [...this.#deliveries.values()];
    for (const delivery of all) if (delivery.service === this.#durable) delivery.stop();
    await Promise.all(all.map(({ over }) => over));
    this.#over.abort();
    await this.#durable?.subscriptions.release().catch(() => undefined);
  }

  /** Ends all deliveries at once. */
  endAll(): void {
    this.#stopLooking();
    for (const delivery of this.#deliveries.values()) delivery.abort();
    this.#over.abort();
  }

  #stopLooking(): void {
    this.#isEnding = true;
    clearInterval(this.#timer);
  }

  /** Takes up the deliveries that no live process makes. Never rejects. */
  async #takeUp(durable: RunService): Promise<void> {
    if (this.#isLooking || this.#isEnding) return;
    this.#isLooking = true;
    try {
      for await (const held of durable.subscriptions.takeUp()) {
        if (this.#isEnding) return;
        this.#begin(durable, held);
      }
    } catch (error) {
      // The host has closed its service.
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

  /** Ends the deliveries of a service when the host closes that. */
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

/** A task that takes no more configs is no error of the task. */
function refuseMore(error: unknown): never {
  if (TroupeError.is(error) && error.code === "conflict") throw new A2AError("invalid-params", error.message);
  throw error;
}

function keyOf(runId: string, id: string): string {
  return `${runId}/${id}`;
}
