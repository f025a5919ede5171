import { runNamespaces } from "../../agents/journal/log-entry.ts";
import { encodeKey } from "../../sessions/storage/encode-key.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { isCount, readRecord } from "../../sessions/storage/stored-record.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { subscriptionPrefix } from "../record/run-notice.ts";
import type { DeliveryLease } from "./retry-schedule.ts";

/** A position in the events of a run, up to which a subscriber has been notified. */
export type SubscriptionPlace = {
  /** The id of the last event whose notifications were all delivered; absent before the first event. */
  readonly after?: string | undefined;
  /** The number of notifications of the next event that were already delivered. */
  readonly sent: number;
  /** The number of the run's attempt that emitted the event with the id `after`. */
  readonly attempt: number;
};

/**
 * The stored record of a subscription to a run. It determines what is sent; the entry of the outbox only determines the
 * time.
 */
export type SubscriptionRecord = SubscriptionPlace & {
  readonly v: 1;
  readonly form: string;
  /** The data of the subscription, such as an address and a token, encrypted with a seal key. */
  readonly data: string;
  /** A hash of the receiver's host. */
  readonly host: string;
  readonly createdAt: number;
  /** True if no more notifications follow. */
  readonly isOver?: boolean;
  /** The number of notifications that were sent or given up. */
  readonly told: number;
  /** The number of attempts at the next notification, and the times of the first and the next attempt. */
  readonly attempts: number;
  readonly since?: number;
  readonly dueAt?: number;
  readonly lease?: DeliveryLease;
};

/** The key of a subscription in the namespace of webhooks. */
export function subscriptionKey(runId: string, id: string): string {
  return `${subscriptionPrefix(runId)}${encodeKey(id)}`;
}

/** Returns the run id and the subscription id in the key of a subscription. */
export function readSubscriptionKey(key: string): { runId: string; id: string } {
  const [, runId = "", id = ""] = key.split("/");
  return { runId: decodeURIComponent(runId), id: decodeURIComponent(id) };
}

/** Returns the stored record of a subscription after a check of its shape; `null` if it is missing. */
export function readSubscription(value: Json | null, key: string): SubscriptionRecord | null {
  if (value === null) return null;
  return readRecord(value, { namespace: runNamespaces.webhooks, key }, isSubscription);
}

/** Returns the context string to which the data of a subscription is sealed. */
export function sealPlace(key: string): string {
  return `webhook/${key}`;
}

/** Returns a record as JSON. It is JSON already, except for undefined members, which every driver omits. */
export function subscriptionAsJson(record: SubscriptionRecord): Json {
  return record as unknown as Json;
}

function isSubscription(value: unknown): value is SubscriptionRecord {
  return (
    isRecord(value) &&
    value["v"] === 1 &&
    ["form", "data", "host"].every((name) => typeof value[name] === "string") &&
    (value["after"] === undefined || typeof value["after"] === "string") &&
    ["sent", "attempt", "told", "attempts"].every((name) => isCount(value[name]))
  );
}
