import { logPrefix, runNamespaces } from "../../agents/journal/log-entry.ts";
import { cutText } from "../../base/util/cut-text.ts";
import { removeAll } from "../../sessions/session/remove-session.ts";
import { encodeKey } from "../../sessions/storage/encode-key.ts";
import { ownerKey } from "../../sessions/storage/owner-key.ts";
import type { OwnerKey } from "../../sessions/storage/owner-key.ts";
import type { SessionOwner } from "../../sessions/storage/session-owner.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import type { WaitKind } from "../../agents/run/run-wait.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { RunKind, RunStatus, RunView } from "./run-view.ts";

/** The events of runs that webhooks report. */
export const webhookEvents = ["run.completed", "run.failed", "run.cancelled", "run.waiting"] as const;

/** An event of a run that webhooks report: its end, or a wait for a person, a client or an event. */
export type WebhookEvent = (typeof webhookEvents)[number];

/** The facts about a run in the body of a webhook. They contain no prompt, no arguments and no output. */
export type WebhookData = {
  readonly runId: string;
  readonly kind: RunKind;
  readonly name: string;
  readonly sessionId: string;
  readonly status: RunStatus;
  /** The questions and events that the run waits for. */
  readonly waits?: readonly { readonly id: string; readonly kind: WaitKind }[];
  readonly error?: { readonly code: string; readonly message: string };
};

/** An event that a run's record notes in the same write as the new status, until its deliveries are in the outbox. */
export type RunNotice = {
  readonly type: WebhookEvent;
  /** Epoch milliseconds at which the run ended or began to wait. */
  readonly at: number;
  /** Identifies the event among all events of all runs, also of a later run with the same id. */
  readonly key: readonly Json[];
  readonly data: WebhookData;
  /**
   * The webhooks to notify: the id of each and a hash of its host. They are noted, because the process that puts the
   * deliveries in the outbox may have other webhooks.
   */
  readonly receivers: readonly NoticeReceiver[];
};

/** A webhook that is notified of an event: the id of a webhook of the service, or `"run"` for the run's own. */
export type NoticeReceiver = { readonly target: string; readonly host: string };

/** The parts of a run's record about its webhooks. */
export type NotedEvents = {
  /** A hash of the host of the run's own webhook, if it has one. */
  webhook?: string;
  /** The events whose deliveries are not in the outbox yet. */
  notices?: RunNotice[];
  /**
   * A random mark of the last change of state that the run's subscriptions were not notified of. A process that has
   * notified them of an earlier change does not remove the mark of a later change.
   */
  wakes?: string;
  /** True once webhooks were notified of the run. Its deliveries are removed with it. */
  hasDeliveries?: boolean;
};

/** The parts of a run's record from which a notice is made. */
type NotedRun = Pick<
  RunView,
  "runId" | "kind" | "name" | "sessionId" | "status" | "createdAt" | "endedAt" | "attempts" | "error" | "waits"
>;

/** The longest error message in the body of a webhook, in characters. */
const longestMessage = 1000;
/** The largest number of waits that the body of a webhook lists. */
const mostWaits = 100;

/** The event of each end of a run. */
export const typeOfEnd = { completed: "run.completed", error: "run.failed", cancelled: "run.cancelled" } as const;

/** Waits that webhooks do not report, because they end by themselves or only the operator can end them. */
const quiet: ReadonlySet<WaitKind> = new Set(["sleep", "upgrade"]);

/** Returns the event that webhooks report for a run's new record; undefined if they report no event. */
export function toNotice(record: NotedRun, now: number): Omit<RunNotice, "receivers"> | undefined {
  const { runId, kind, name, sessionId, status, createdAt, attempts, error } = record;
  const facts = { runId, kind, name, sessionId, status };
  if (status === "queued" || status === "running") return undefined;
  const key: Json[] = [runId, createdAt, status, attempts];
  if (status !== "waiting") {
    const told = error && { code: error.code, message: cutText(error.message, longestMessage, "…") };
    return {
      type: typeOfEnd[status],
      at: record.endedAt ?? now,
      key,
      data: { ...facts, ...(told && { error: told }) },
    };
  }
  const waits = (record.waits ?? []).filter((wait) => !quiet.has(wait.kind)).slice(0, mostWaits);
  if (waits.length === 0) return undefined;
  const shown = waits.map((wait) => ({ id: wait.id, kind: wait.kind }));
  return {
    type: "run.waiting",
    at: now,
    key: [...key, ...shown.map(({ id }) => id)],
    data: { ...facts, waits: shown },
  };
}

/** A run whose events webhooks or subscriptions may report. */
type WebhookRun = { readonly runId: string; readonly owner: SessionOwner; readonly isSubscribed?: boolean };

/** A run with a webhook of its own, and the part of storage keys that names its owner. */
export type WebhookRef = { readonly runId: string; readonly owner: OwnerKey };

/** Returns the reference to a run's own webhook. */
export function webhookOf({ runId, owner }: Omit<WebhookRun, "isSubscribed">): WebhookRef {
  return { runId, owner: ownerKey(owner) };
}

/** Returns the key of a run's own webhook in the namespace of webhooks. */
export function webhookKey({ runId, owner }: WebhookRef): string {
  return `${owner}/${encodeKey(runId)}`;
}

/** The prefix of the keys of a run's subscriptions in the namespace of webhooks. No owner's key begins with `#`. */
export function subscriptionPrefix(runId: string): string {
  return `#run/${encodeKey(runId)}/`;
}

/**
 * Removes the deliveries of a run, its subscriptions and its own webhook. Entries of the outbox without them are dropped
 * when they are due.
 */
export async function removeDeliveries(storage: StorageDriver, run: WebhookRun): Promise<void> {
  await storage.delete(runNamespaces.webhooks, webhookKey(webhookOf(run)));
  if (run.isSubscribed === true) await removeAll(storage, runNamespaces.webhooks, subscriptionPrefix(run.runId));
  await removeAll(storage, runNamespaces.deliveries, logPrefix(run.runId));
}
