import { runNamespaces } from "../../agents/journal/log-entry.ts";
import { removeAll } from "../../sessions/session/remove-session.ts";
import { encodeKey } from "../../sessions/storage/encode-key.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { isCount, readRecord } from "../../sessions/storage/stored-record.ts";
import { isRecord } from "../../base/util/is-record.ts";

/** A position in the events of a run, up to which a subscriber has received them. */
export type SubscriptionPlace = {
  /** The id of the last event that was completely delivered; absent before the first event. */
  readonly after?: string | undefined;
  /** The number of messages about the next event that were already delivered. */
  readonly sent: number;
  /** The number of the attempt at the run that `after` belongs to. */
  readonly attempt: number;
};

/** The stored record of a subscription. */
export type SubscriptionRecord = SubscriptionPlace & {
  v: 1;
  /** The id of the process that serves the subscription. */
  node: string;
  /** The data of the transport, sealed. */
  data: string;
  createdAt: number;
};

/** Keys in the namespace of subscriptions: open subscriptions, and those without further events. */
export const subscriptionKeys = {
  open: "open/",
  over: "over/",
  ofRun: (state: "open" | "over", runId: string): string => `${state}/${encodeKey(runId)}/`,
  of: (state: "open" | "over", runId: string, id: string): string => `${state}/${encodeKey(runId)}/${encodeKey(id)}`,
} as const;

/** Returns the run id and the subscription id in the key of a subscription. */
export function readSubscriptionKey(key: string): { runId: string; id: string } {
  const [, runId = "", id = ""] = key.split("/");
  return { runId: decodeURIComponent(runId), id: decodeURIComponent(id) };
}

/** Returns the stored record of a subscription after a check of its shape. */
export function readSubscription(value: Json, key: string): SubscriptionRecord {
  return readRecord(value, { namespace: runNamespaces.subscriptions, key }, isSubscription);
}

/** Removes the subscriptions to a run. */
export async function removeSubscriptions(storage: StorageDriver, runId: string): Promise<void> {
  for (const state of ["open", "over"] as const) {
    await removeAll(storage, runNamespaces.subscriptions, subscriptionKeys.ofRun(state, runId));
  }
}

function isSubscription(value: unknown): value is SubscriptionRecord {
  return (
    isRecord(value) &&
    value["v"] === 1 &&
    typeof value["node"] === "string" &&
    typeof value["data"] === "string" &&
    (value["after"] === undefined || typeof value["after"] === "string") &&
    isCount(value["sent"]) &&
    isCount(value["attempt"])
  );
}
