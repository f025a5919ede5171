import { setTimeout as sleep } from "node:timers/promises";
import { TroupeError } from "@troupe/core";
import type { Logger } from "@troupe/core";
import type { HeldSubscription, RunEvent, RunService, RunView } from "@troupe/core/runs";
import type { Dialect } from "../wire/dialect.ts";
import type { PushConfig } from "../wire/push-config.ts";
import type { PushPost, PushRequest } from "./push-post.ts";
import { isSettled, TaskNotifier } from "./task-notifier.ts";
import type { TaskNotification } from "./task-notifier.ts";

/** Objects that all push deliveries of a server share. */
export type DeliveryTools = { readonly post: PushPost; readonly logger: Logger };

/** The subscription of a delivery: its push config, and the A2A version of its notifications. */
export type DeliveryOf = {
  readonly service: RunService;
  readonly held: HeldSubscription;
  readonly config: PushConfig & { readonly id: string };
  readonly dialect: Dialect;
};

/** Milliseconds between two checks of a run that waits for its client: the first interval and the longest. */
const rests = { firstMs: 100, lastMs: 10_000 };

/** Milliseconds to wait after a failure of the storage before a push delivery continues. */
const faultPauseMs = 5000;

/**
 * Notifies one receiver about one task, in the order of the run log, continuing after the last notified position. A
 * slow receiver only falls behind: it delays neither the run nor other receivers, and only its position is kept.
 */
export class PushDelivery {
  /** Resolves when nothing is left to deliver, or the delivery was stopped. Never rejects. */
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

  /** True while the task waits for its client and the receiver has been notified of that. */
  get isResting(): boolean {
    return this.#isResting;
  }

  /** Ends the delivery as soon as the task waits for its client and the receiver was notified of that. */
  finish(): void {
    this.#endsAtRest = true;
    if (this.#isResting) this.stop();
  }

  /** If the delivery waits for the client to continue the task, looks at once whether the task has continued. */
  wake(): void {
    this.#wake();
  }

  /** Ends the delivery after the current attempt to send. Another process may deliver the rest. */
  stop(): void {
    this.#stop.abort();
    this.#wake();
  }

  /** Ends the delivery of push notifications at once. */
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

  /** Reads the run log. If the log is no longer kept from this position on, notifies of the task's present state. */
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

  /** Delivers the notifications for an event of the run. Returns false when the delivery is over. */
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

  /**
   * Sends one push notification. Returns false when the delivery is over: stopped, or refused by the receiver for good.
   */
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

  /**
   * Waits until a task that waits for its client continues. The run log is not watched meanwhile, because the wait may
   * take days.
   */
  async #rest(): Promise<void> {
    this.#isResting = true;
    if (this.#endsAtRest) this.stop();
    for (let ms = rests.firstMs; !this.#stop.signal.aborted; ms = Math.min(2 * ms, rests.lastMs)) {
      // Created before the run is read, so that a `wake` during the read is not lost.
      const woken = Promise.withResolvers<void>();
      this.#wake = woken.resolve;
      if ((await this.#notifier.read()).status !== "waiting") break;
      const timer = setTimeout(woken.resolve, ms).unref();
      await woken.promise;
      clearTimeout(timer);
    }
    this.#isResting = false;
  }

  /** Delivers the state in the run's record whenever the run waits or is over. Used if the run log is gone. */
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
