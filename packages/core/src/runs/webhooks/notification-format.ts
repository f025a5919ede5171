import type { Json } from "../../sessions/storage/json.ts";
import type { RunEvent, RunView } from "../record/run-view.ts";
import type { ReceiverSettings, WebhookRequest } from "./webhook-sender.ts";

/** An event of a run in the form that the notifications of a subscription are made from. */
export type SubscribedEvent = {
  readonly event: Extract<RunEvent, { type: "attempt" | "wait" | "end" }>;
  /**
   * The run as it was at this event: over at an end, no longer running at a wait. It may have continued after the wait.
   */
  readonly run: RunView;
  /** The number of the attempt that the event belongs to. */
  readonly attempt: number;
};

/** Writes one notification. All attempts to send it share the id, and each attempt calls this function again. */
export type WriteNotification = (id: string) => WebhookRequest;

/** The format in which a protocol notifies subscriptions, and the rules for their receivers. */
export interface NotificationFormat {
  readonly settings: ReceiverSettings & {
    /** Milliseconds before the second attempt. Each further pause is twice as long, up to an hour. @default 10_000 */
    readonly retryMs?: number | undefined;
    /** The largest number of attempts to send one notification. @default as many as there are in a day */
    readonly maxAttempts?: number | undefined;
  };
  /** Returns the notifications of an event, in order. The same event always has the same number of notifications. */
  notify(subscribed: SubscribedEvent, data: Json): readonly WriteNotification[];
}
