import { runNamespaces } from "../../agents/journal/log-entry.ts";
import { encodeKey } from "../../sessions/storage/encode-key.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { isCount, readRecord } from "../../sessions/storage/stored-record.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { webhookEvents } from "../record/run-notice.ts";
import type { WebhookData, WebhookEvent } from "../record/run-notice.ts";
import type { DeliveryLease } from "./retry-schedule.ts";

/**
 * The states of a delivery. `pending`: it is sent now or later. `delivered`: the receiver has accepted it. `failed`: it
 * was given up. `disabled`: the receiver wants no more webhooks.
 */
const deliveryStatuses = ["pending", "delivered", "failed", "disabled"] as const;

/** The state of a delivery. */
type DeliveryStatus = (typeof deliveryStatuses)[number];

/**
 * The events in the list of a run's deliveries: the events of webhooks, and the start of an attempt for subscriptions.
 */
export type DeliveredEvent = WebhookEvent | "run.started";

const deliveredEvents: readonly DeliveredEvent[] = [...webhookEvents, "run.started"];

/** One delivery of an event of a run to one webhook, in the form that the run's owner may see. */
export type WebhookDelivery = {
  /** The header `webhook-id`, or the id of a subscription's notification. All attempts share it. */
  readonly id: string;
  readonly type: DeliveredEvent;
  /** Epoch milliseconds of the event or, for a subscription, of the first attempt. */
  readonly at: number;
  /**
   * `"run"` for the webhook of the run itself, `"service"` for a webhook of the service, `"subscription"` for a
   * subscription of a protocol.
   */
  readonly webhook: "run" | "service" | "subscription";
  readonly status: DeliveryStatus;
  readonly attempts: number;
  /** Epoch milliseconds of the last attempt. */
  readonly lastAt?: number;
  /** The reason why the last attempt failed, such as `status 503`, `timeout` or `private_address`. */
  readonly problem?: string;
  /** Epoch milliseconds of the next attempt, while the delivery is pending. */
  readonly nextAt?: number;
};

/**
 * The stored record of a delivery. For a webhook, it determines the request; the entry of the outbox only determines
 * the time. For a subscription, it only reports the requests that were sent: the subscription's own record determines
 * them.
 */
export type DeliveryRecord = Omit<WebhookDelivery, "webhook" | "nextAt"> & {
  readonly v: 1;
  /** The id of a webhook of the service; `"run"` for the run's own webhook; `"subscription"` for a subscription. */
  readonly target: string;
  readonly data: WebhookData;
  /**
   * The time in the key of the delivery's entry in the outbox. An entry of this delivery with another time is out of
   * date.
   */
  readonly dueAt: number;
  /** The claim of the process that sends the delivery now. */
  readonly lease?: DeliveryLease;
};

/** An entry of the outbox, from which a process chooses the deliveries that it sends next. */
export type OutboxEntry = {
  readonly v: 1;
  readonly kind: "webhook";
  /** The key of the delivery's record, or of the subscription in the namespace of webhooks. */
  readonly delivery: string;
  /** The form of a subscription's notifications; absent for a webhook. */
  readonly form?: string;
  /** A hash of the receiver's host. The number of concurrent requests to one host is limited. */
  readonly host: string;
  /** The owner of the run, as in storage keys. The owners of deliveries to one host take turns. */
  readonly owner: string;
  readonly webhook: "run" | "service";
};

/** Returns the key of a delivery's record. The keys of one run's deliveries are in the order of their events. */
export function deliveryKey(runId: string, { at, id }: Pick<DeliveryRecord, "at" | "id">): string {
  return `${deliveryPrefix(runId)}${time(at)}.${encodeKey(id)}`;
}

/** Returns the prefix of the keys of a run's deliveries. */
export function deliveryPrefix(runId: string): string {
  return `${encodeKey(runId)}/`;
}

/** Returns the key of a delivery's entry in the outbox, in which entries are in the order of their times. */
export function outboxKey({ dueAt, id }: Pick<DeliveryRecord, "dueAt" | "id">): string {
  return `${time(dueAt)}/${encodeKey(id)}`;
}

/** Returns the time in the key of an entry of the outbox, in epoch milliseconds. */
export function dueAtOf(key: string): number {
  return Number(key.slice(0, key.indexOf("/")));
}

/** Returns a stored delivery after a check of its shape; `null` if it is missing. */
export function readDelivery(value: Json | null, key: string): DeliveryRecord | null {
  if (value === null) return null;
  return readRecord(value, { namespace: runNamespaces.deliveries, key }, isDelivery);
}

/** Returns a stored entry of the outbox; undefined if it is damaged, or of a newer release. */
export function readEntry(value: Json): OutboxEntry | undefined {
  const isEntry =
    isRecord(value) &&
    value["v"] === 1 &&
    value["kind"] === "webhook" &&
    (value["form"] === undefined || typeof value["form"] === "string") &&
    ["delivery", "host", "owner", "webhook"].every((name) => typeof value[name] === "string");
  return isEntry ? (value as unknown as OutboxEntry) : undefined;
}

/** Returns the part of a delivery that the run's owner may see. */
export function toDeliveryView(record: DeliveryRecord): WebhookDelivery {
  const { id, type, at, target, status, attempts, lastAt, problem, dueAt } = record;
  return {
    id,
    type,
    at,
    webhook: target === "run" || target === "subscription" ? target : "service",
    status,
    attempts,
    ...(lastAt !== undefined && { lastAt }),
    ...(problem !== undefined && { problem }),
    ...(status === "pending" && { nextAt: dueAt }),
  };
}

/** Returns a record as JSON. It is JSON already, except for undefined members, which every driver omits. */
export function asJson(record: DeliveryRecord | OutboxEntry): Json {
  return record;
}

function isDelivery(value: unknown): value is DeliveryRecord {
  return (
    isRecord(value) &&
    value["v"] === 1 &&
    typeof value["id"] === "string" &&
    typeof value["target"] === "string" &&
    deliveredEvents.some((type) => type === value["type"]) &&
    deliveryStatuses.some((status) => status === value["status"]) &&
    isCount(value["attempts"]) &&
    Number.isFinite(value["at"]) &&
    Number.isFinite(value["dueAt"]) &&
    isRecord(value["data"])
  );
}

function time(ms: number): string {
  return String(Math.trunc(ms)).padStart(15, "0");
}
