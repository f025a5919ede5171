import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { readEvents } from "../readers/run-tail.ts";
import type { RunTails } from "../readers/run-tails.ts";
import { findRun, withLoggedEnd } from "../record/find-runs.ts";
import { typeOfEnd } from "../record/run-notice.ts";
import { isEnded } from "../record/run-record.ts";
import type { RunRecord } from "../record/run-record.ts";
import type { RunStore } from "../record/run-store.ts";
import type { RunView } from "../record/run-view.ts";
import type { DeliveredEvent } from "./delivery-record.ts";
import type { SubscribedEvent, NotificationFormat, WriteNotification } from "./notification-format.ts";
import type { SubscriptionPlace } from "./subscription-record.ts";

/** A notification to send, and the position of its subscription afterwards. */
export type Notification = {
  readonly write: WriteNotification;
  /** The position of the notification among all notifications of the run. */
  readonly position: string;
  readonly type: DeliveredEvent;
  readonly run: RunView;
  readonly place: SubscriptionPlace;
  /** True if no more notifications follow. */
  readonly isLast: boolean;
};

/** The subscription whose notifications are read. */
export type Subscriber = {
  readonly runId: string;
  readonly form: NotificationFormat;
  readonly data: Json;
  readonly place: SubscriptionPlace;
};

type Init = {
  readonly store: RunStore;
  readonly tails: RunTails;
  readonly now: () => number;
  readonly toView: (record: RunRecord) => RunView;
  /** Returns the position after the existing events of a run. */
  readonly presentOf: (record: RunRecord) => Promise<SubscriptionPlace>;
};

/** Reads the notifications of a subscription from the log of its run, up to the newest event. */
export class SubscribedEvents {
  readonly #init: Init;

  constructor(init: Init) {
    this.#init = init;
  }

  /**
   * Yields the notifications after the position of a subscription. It does not wait for events: a later change of the
   * run's state wakes the subscription again.
   */
  async *after(subscriber: Subscriber): AsyncGenerator<Notification, void> {
    try {
      yield* this.#fromLog(subscriber);
    } catch (error) {
      if (!TroupeError.is(error) || error.code !== "gone") throw error;
      yield* this.#fromRecord(subscriber);
    }
  }

  async *#fromLog(subscriber: Subscriber): AsyncGenerator<Notification, void> {
    const { runId, place } = subscriber;
    const events = readEvents(this.#init, runId, { caller: "host", after: place.after, isBounded: true });
    let { after, sent, attempt } = place;
    let run: RunView | undefined;
    for await (const event of events) {
      if (event.type !== "attempt" && event.type !== "wait" && event.type !== "end") continue;
      if (event.type === "attempt") attempt = event.attempt;
      ({ run } = await this.#read(runId));
      // The log is written before the record. The subscription is woken again when the record is written too, and then
      // reads this event again.
      if (!hasCome(event.type, run, attempt)) return;
      const from = { after, sent, attempt };
      yield* notificationsOf(subscriber, { event, run, attempt }, from);
      if (event.type === "end") return;
      // An event without notifications does not move the position.
      ({ after, sent } = { after: event.id, sent: 0 });
    }
    run ??= (await this.#read(runId)).run;
    if (isEnded(run.status)) throw new TroupeError("gone", "The log of the run is not kept to its end.");
  }

  /**
   * Yields the notifications of the run's present state, if the log from the subscription's position on was removed.
   */
  async *#fromRecord(subscriber: Subscriber): AsyncGenerator<Notification, void> {
    const { record, run } = await this.#read(subscriber.runId);
    const wait = run.waits?.at(-1);
    const { attempts: attempt } = run;
    const id = `${run.status}.${attempt}`;
    const from = { ...subscriber.place, attempt };
    const place = await this.#init.presentOf(record);
    if (isEnded(run.status)) {
      const { output = null, error } = run;
      const event = { type: "end", id, output, ...(error && { error }) } as const;
      yield* notificationsOf(subscriber, { event, run, attempt }, from, place);
    } else if (wait !== undefined) {
      yield* notificationsOf(subscriber, { event: { type: "wait", id, wait }, run, attempt }, from, place);
    }
  }

  async #read(runId: string): Promise<{ record: RunRecord; run: RunView }> {
    const { store, now, toView } = this.#init;
    const record = await withLoggedEnd(store, await findRun({ store }, runId, "host"), now);
    return { record, run: toView(record) };
  }
}

/** Yields those notifications of an event that were not delivered yet. `next` is the position after the event. */
// oxlint-disable-next-line max-params -- the last is absent but for a log that is gone
function* notificationsOf(
  { form, data }: Subscriber,
  subscribed: SubscribedEvent,
  from: SubscriptionPlace,
  next: SubscriptionPlace = { after: subscribed.event.id, sent: 0, attempt: subscribed.attempt },
): Generator<Notification, void> {
  const { event, run, attempt } = subscribed;
  const writes = form.notify(subscribed, data);
  for (const [index, write] of writes.entries()) {
    if (index < from.sent) continue;
    const isLastOfEvent = index === writes.length - 1;
    yield {
      write,
      position: `${event.id}.${index}`,
      type: typeOf(event, run),
      run,
      place: isLastOfEvent ? next : { after: from.after, sent: index + 1, attempt },
      isLast: isLastOfEvent && event.type === "end",
    };
  }
}

/** Returns true if the run's record already shows an event of its log. */
function hasCome(type: SubscribedEvent["event"]["type"], run: RunView, attempt: number): boolean {
  if (type === "attempt" || isEnded(run.status)) return true;
  return type === "wait" && (run.status === "waiting" || run.attempts > attempt);
}

function typeOf({ type }: SubscribedEvent["event"], { status }: RunView): DeliveredEvent {
  if (type === "attempt") return "run.started";
  if (type === "wait" || status === "queued" || status === "running" || status === "waiting") return "run.waiting";
  return typeOfEnd[status];
}
