import { setTimeout as sleep } from "node:timers/promises";
import { TroupeError } from "@troupe/core";
import type { Logger } from "@troupe/core";
import type { HeldSubscription, RunEvent, RunService, RunView } from "@troupe/core/runs";
import type { Dialect } from "../wire/dialect.ts";
import type { PushConfig } from "../wire/push-config.ts";
import type { PushPost, PushRequest } from "./push-post.ts";
import { isSettled, TaskNotifier } from "./task-notifier.ts";
import type { TaskNotification } from "./task-notifier.ts";

/** The parts that the deliveries of a server share. */
export type DeliveryTools = { readonly post: PushPost; readonly logger: Logger };

/** A subscription to deliver for: the config in it, and the version that its notifications are written in. */
export type DeliveryOf = {
  readonly service: RunService;
  readonly held: HeldSubscription;
  readonly config: PushConfig & { readonly id: string };
  readonly dialect: Dialect;
};

/** Milliseconds between the first two looks at a run that waits for its client, and between the last ones. */
const rests = { firstMs: 100, lastMs: 10_000 };

/** Milliseconds before a delivery goes on whose storage has failed. */
const faultPauseMs = 5000;

/**
 * Notifies one receiver of one task, in the order of the run's log, from the place on up to which it was notified before. A slow
 * receiver is behind, and neither the run nor another receiver waits for it: nothing is held for it but its place.
 */
export class PushDelivery {
  /** Resolves when there is nothing more to deliver, or the delivery was stopped. Never rejects. */
  readonly over: Promise<void>;
  #isResting = false;
  #endsAtRest = false;
  readonly #of: DeliveryOf;
  readonly #tools: DeliveryTools;
  readonly #stop = new AbortController();
  readonly #abort = new AbortController();
  readonly #notifier: TaskNotifier;
  #wake: () => void = () => {};

  constructor(of: DeliveryOf, tools: DeliveryTools) {
    this.#of = of;
    this.#tools = tools;
    const { service, held, dialect: form } = of;
    const { attempt } = held.place;
    this.#notifier = new TaskNotifier(service, held.subscription.runId, { form, attempt, stopped: this.#stop.signal });
    this.over = this.#deliver();
  }

  get service(): RunService {
    return this.#of.service;
  }

  /** True while the task waits for its client, who was told. */
  get isResting(): boolean {
    return this.#isResting;
  }

  /** Ends the delivery as soon as the task waits for its client. */
  finish(): void {
    this.#endsAtRest = true;
    if (this.#isResting) this.stop();
  }

  /** Looks at once if the task goes on. */
  wake(): void {
    this.#wake();
  }

  /** Ends the delivery after the attempt under way; what is left is for whoever takes it up. */
  stop(): void {
    this.#stop.abort();
    this.#wake();
  }

  /** Ends the delivery at once. */
  abort(): void {
    this.stop();
    this.#abort.abort();
  }

  async #deliver(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        return await this.#follow();
      } catch (error) {
        if (this.#stop.signal.aborted || isCode(error, "unavailable")) return;
        if (isCode(error, "not_found")) return await this.#of.held.remove().catch(() => undefined);
        const runId = this.#of.held.subscription.runId;
        this.#tools.logger.warn("Push notifications of a task wait for its storage.", { runId, error });
        await sleep(faultPauseMs, undefined, { ref: false, signal: this.#stop.signal }).catch(() => undefined);
      }
    }
  }

  /** Reads the log of the run. One whose log is not kept from this place on is told of as it is. */
  async #follow(): Promise<void> {
    const { service, held } = this.#of;
    const events = service.events(held.subscription.runId, "host", held.place.after);
    const leave = (): void => void events.return?.();
    this.#stop.signal.addEventListener("abort", leave, { once: true });
    try {
      for await (const event of events) {
        if (this.#stop.signal.aborted || !(await this.#take(event))) return;
      }
      if (!this.#stop.signal.aborted) await held.end();
    } catch (error) {
      if (!isCode(error, "gone")) throw error;
      await this.#followRecord();
    } finally {
      this.#stop.signal.removeEventListener("abort", leave);
      leave();
    }
  }

  /** Delivers the notifications of an event. Returns false when the delivery is over. */
  async #take(event: RunEvent): Promise<boolean> {
    const { held } = this.#of;
    const { after, sent: before } = held.place;
    const notifications = await this.#notifier.of(event);
    if (notifications.length === 0) return true;
    for (const [index, notification] of notifications.entries()) {
      if (index < before) continue;
      if (!(await this.#send(notification, `${event.id}.${index}`))) return false;
      const { attempt } = this.#notifier;
      const isLast = index === notifications.length - 1;
      const place = isLast ? { after: event.id, sent: 0, attempt } : { after, sent: index + 1, attempt };
      if (!(await held.advance(place))) return false;
    }
    if (event.type === "wait") await this.#rest();
    return true;
  }

  /** Sends one notification. Returns false when the delivery is over: stopped, or the receiver wants no more. */
  async #send({ event, task }: TaskNotification, position: string): Promise<boolean> {
    const { config, dialect, held } = this.#of;
    const { runId } = held.subscription;
    const written = dialect.writeNotification(event, task);
    if (written === undefined) return true;
    const request: PushRequest = { ...written, config, taskId: runId, id: `${runId}:${config.id}:${position}` };
    const outcome = await this.#tools.post.send(request, { stop: this.#stop.signal, abort: this.#abort.signal });
    if (outcome === "unwanted") await held.end();
    return outcome === "done";
  }

  /** Waits until a task that waits for its client goes on. Its log is not watched meanwhile: it may wait for days. */
  async #rest(): Promise<void> {
    this.#isResting = true;
    if (this.#endsAtRest) this.stop();
    for (let ms = rests.firstMs; !this.#stop.signal.aborted; ms = Math.min(2 * ms, rests.lastMs)) {
      if ((await this.#notifier.read()).status !== "waiting") break;
      const woken = Promise.withResolvers<void>();
      const timer = setTimeout(woken.resolve, ms).unref();
      this.#wake = woken.resolve;
      await woken.promise;
      clearTimeout(timer);
    }
    this.#isResting = false;
  }

  /** Delivers what the record of the run says, now and at each change. */
  async #followRecord(): Promise<void> {
    const { held } = this.#of;
    for (;;) {
      const run: RunView = await this.#notifier.untilSettled();
      const notifications = this.#notifier.ofSettled(run);
      for (const [index, notification] of notifications.entries()) {
        if (!(await this.#send(notification, `${run.status}.${run.attempts}.${index}`))) return;
      }
      if (run.status !== "waiting") return await held.end();
      await this.#rest();
      await this.#notifier.untilSettled((now) => isSettled(now) || now.attempts > run.attempts);
      if (this.#stop.signal.aborted) return;
    }
  }
}

function isCode(error: unknown, code: string): boolean {
  return TroupeError.is(error) && error.code === code;
}
