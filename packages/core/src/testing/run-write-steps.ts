// oxlint-disable complexity -- one list of cases for each namespace
import { runNamespaces } from "../agents/journal/log-entry.ts";
import type { LogEntry } from "../agents/journal/log-entry.ts";
import { readProperty } from "../base/util/read-property.ts";
import type { Json } from "../sessions/storage/json.ts";
import { groupKeys, isOfEnd, runIdOf } from "../runs/record/run-keys.ts";
import { isEnded } from "../runs/record/run-record.ts";
import type { OpenRun } from "../runs/record/open-runs.ts";
import type { RunRecord } from "../runs/record/run-record.ts";
import type { TransitionName } from "../runs/record/run-writes.ts";

/** The records of one run in a storage. */
export type Facts = {
  record: RunRecord | undefined;
  open: OpenRun | undefined;
  readonly places: Set<string>;
  readonly ends: Set<string>;
  readonly log: Map<string, readonly LogEntry[]>;
  readonly inbox: Set<string>;
  readonly input: Set<string>;
  readonly deliveries: Set<string>;
  /** The deliveries of the run that have been in the outbox at some time. */
  readonly enqueued: Set<string>;
  /** True once the entry in the list of open runs was changed while the run had no record. */
  isClaimed: boolean;
};

/** One write to a storage, as the table of transitions names it: its transition, and its name in that transition. */
export type Step = readonly [name: TransitionName, write: string];

/** Returns the types of the entries in a log. */
export const types = ({ log }: Facts) => new Set([...log.values()].flatMap((entries) => entries.map(({ t }) => t)));
/** Returns the status in the record of a run. */
export const status = ({ record }: Facts) => record?.status ?? "absent";
const isOver = (facts: Facts) => facts.record !== undefined && isEnded(facts.record.status);

/**
 * Returns true if an earlier write of a transition has taken effect. A write that may be omitted counts as having taken
 * effect.
 */
export const holds: Readonly<Record<string, (facts: Facts) => boolean>> = {
  open: ({ open }) => open !== undefined,
  places: ({ places }) => places.size > 0,
  input: () => true,
  attempt: () => true,
  record: ({ record }) => record !== undefined,
  call: (facts) => types(facts).has("call"),
  effect: () => true,
  done: () => true,
  wait: (facts) => types(facts).has("wait") || facts.record?.waits?.[0]?.kind === "upgrade",
  running: () => true,
  waiting: (facts) => status(facts) === "waiting",
  answer: ({ inbox, record }) => inbox.size > 0 || record?.waits?.some(({ until }) => until !== undefined) === true,
  cancel: ({ inbox }) => inbox.has("cancel"),
  queued: (facts) => status(facts) === "queued",
  session: () => true,
  end: (facts) => types(facts).has("end") || facts.record?.error?.code === "storage_corrupt",
  ends: ({ ends }) => ends.size > 0,
  unplaced: (facts) => [...facts.places].every((key) => !isOwnPlace(key, facts)),
  unlisted: ({ open }) => open === undefined,
  noRecord: ({ record }) => record === undefined,
  log: ({ log, inbox, input }) => log.size + inbox.size + input.size === 0,
  noInput: ({ input }) => input.size === 0,
  noLog: ({ log }) => log.size === 0,
  noInbox: ({ inbox }) => inbox.size === 0,
  deliveries: () => true,
  delivery: ({ deliveries }) => deliveries.size > 0,
  outbox: ({ enqueued }) => enqueued.size > 0,
  noted: ({ record }) => record?.notices === undefined,
  claim: ({ isClaimed }) => isClaimed,
  entries: ({ record, open, places }) => record === undefined && open === undefined && places.size === 0,
};

/** Returns the id of the run that a record belongs to. */
export function runIdIn(namespace: string, key: string, value: Json | null = null): string {
  // The key of an outbox entry does not contain the run's id, but its value has the key of the delivery, which does.
  if (namespace === runNamespaces.outbox)
    return decodeURIComponent(/^(?:#run\/)?([^/]*)/.exec(String(readProperty(value, "delivery")))?.[1] ?? "");
  return namespace === runNamespaces.byOwner ? runIdOf(key) : decodeURIComponent(key.split("/", 1)[0] ?? "");
}

/** A write of a storage; `null` for the removal of a record. */
export type RecordedWrite = { readonly namespace: string; readonly key: string; readonly value: Json | null };

/** Returns the writes in the table of transitions that match a write of a storage; an empty array if none match. */
export function transitionWritesOf({ namespace, key, value }: RecordedWrite, facts: Facts): Step[] {
  const over = isOver(facts);
  switch (namespace) {
    case runNamespaces.open:
      // A late deletion finds no entry in the list of open runs.
      if (value !== null || facts.open === undefined) return [];
      if (facts.record === undefined) return [["dropOrphan", "unlisted"]];
      if (over)
        return [
          ["settle", "unlisted"],
          ["remove", "entries"],
        ];
      return status(facts) === "waiting"
        ? [
            ["suspend", "unlisted"],
            ["remove", "entries"],
          ]
        : [["remove", "entries"]];
    case runNamespaces.byOwner:
      return placeSteps({ key, value }, facts);
    case runNamespaces.log:
      if (facts.record !== undefined) return [];
      if (value !== null) return [["accept", "attempt"]];
      // If two processes remove the same run, the second removal belongs to no transition.
      return facts.open === undefined ? [] : [["dropOrphan", "log"]];
    case runNamespaces.input:
      if (value !== null) return [["acceptLong", "input"]];
      return facts.record === undefined && facts.open !== undefined ? [["dropOrphan", "noInput"]] : [];
    case runNamespaces.deliveries:
      return value === null && facts.record === undefined ? [["removeEntries", "deliveries"]] : [];
    case runNamespaces.outbox:
      // A subscription's entry of the outbox is stored without a preceding delivery.
      return value === null || readProperty(value, "form") !== undefined ? [] : [["notify", "outbox"]];
    case runNamespaces.inbox:
      if (value === null || status(facts) !== "waiting") return [];
      return key.endsWith("/cancel") ? [["cancel", "cancel"]] : [["answer", "answer"]];
    case runNamespaces.runs:
      return recordSteps(value as RunRecord | null, facts);
    default:
      return [];
  }
}

function placeSteps({ key, value }: Pick<RecordedWrite, "key" | "value">, facts: Facts): Step[] {
  const isEnd = isEndKey(key);
  if (value !== null) return isEnd ? [] : [["accept", "places"]];
  if (isEnd) return [];
  if (facts.record === undefined) return facts.open === undefined ? [] : [["dropOrphan", "unplaced"]];
  // Entries with other keys are left by a process that accepted the run too late.
  if (!isOwnPlace(key, facts)) return [];
  return isOver(facts) ? [["settle", "unplaced"]] : [["removeEntries", "unplaced"]];
}

/**
 * Returns true if an entry in a list of open runs belongs to the run's record, or to the run while the run has no
 * record.
 */
function isOwnPlace(key: string, { record }: Facts): boolean {
  if (["#all/", "#session/", "#expires/"].some((prefix) => key.startsWith(prefix))) return false;
  if (record === undefined) return true;
  return key.startsWith("#anonymous/") || groupKeys(record, ["open"]).includes(key);
}

function recordSteps(next: RunRecord | null, facts: Facts): Step[] {
  if (next === null) return [["remove", "entries"]];
  if (facts.record === undefined) return [["accept", "record"]];
  if (facts.record.notices !== undefined && next.notices === undefined) return [["notify", "noted"]];
  if (next.status === facts.record.status) return [];
  if (next.status === "waiting") return next.waits?.[0]?.kind === "upgrade" ? [] : [["suspend", "waiting"]];
  if (next.status === "queued") return [["answer", "wake"]];
  if (isEnded(next.status) && next.error?.code !== "storage_corrupt") return [["end", "record"]];
  return [];
}

function isEndKey(key: string): boolean {
  return isOfEnd(key) || key.startsWith("#ended/") || key.startsWith("#bare/");
}

/** Adds a write to the records of its run. */
export function apply({ namespace, key, value }: RecordedWrite, facts: Facts): void {
  const change = (keys: Set<string>, name = key) => void (value === null ? keys.delete(name) : keys.add(name));
  const isKnown = facts.open !== undefined && facts.record === undefined;
  if (namespace === runNamespaces.open && isKnown && value !== null) facts.isClaimed = true;
  if (namespace === runNamespaces.open) facts.open = value === null ? undefined : (value as unknown as OpenRun);
  if (namespace === runNamespaces.runs) facts.record = value === null ? undefined : (value as unknown as RunRecord);
  if (namespace === runNamespaces.byOwner) change(isEndKey(key) ? facts.ends : facts.places);
  if (namespace === runNamespaces.input) change(facts.input);
  if (namespace === runNamespaces.deliveries) change(facts.deliveries);
  if (namespace === runNamespaces.outbox && value !== null) change(facts.enqueued);
  if (namespace === runNamespaces.inbox) change(facts.inbox, key.slice(key.indexOf("/") + 1));
  if (namespace !== runNamespaces.log) return;
  if (value === null) facts.log.delete(key);
  else facts.log.set(key, (value as unknown as { entries: LogEntry[] }).entries);
}
