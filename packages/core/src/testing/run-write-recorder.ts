// oxlint-disable complexity, max-params -- the shape of a storage driver, and one list of cases for each namespace
import { runNamespaces } from "../agents/journal/log-entry.ts";
import type { LogEntry } from "../agents/journal/log-entry.ts";
import type { Json } from "../sessions/storage/json.ts";
import type { StorageDriver } from "../sessions/storage/storage-driver.ts";
import { groupKeys, isOfEnd, runIdOf } from "../runs/record/run-keys.ts";
import { isEnded } from "../runs/record/run-record.ts";
import type { OpenRun, RunRecord } from "../runs/record/run-record.ts";
import { transitions } from "../runs/record/run-writes.ts";
import type { TransitionName } from "../runs/record/run-writes.ts";

/** The records of one run in a storage. */
type Facts = {
  record: RunRecord | undefined;
  open: OpenRun | undefined;
  readonly places: Set<string>;
  readonly ends: Set<string>;
  readonly log: Map<string, readonly LogEntry[]>;
  readonly inbox: Set<string>;
  readonly input: Set<string>;
  /** True once the open entry of a run without a record was changed. */
  isClaimed: boolean;
  /** True once the open entry was written after the cancellation. */
  isRelisted: boolean;
};

/** One write of a storage, as a write of a transition. */
type Step = readonly [name: TransitionName, write: string];

const types = ({ log }: Facts) => new Set([...log.values()].flatMap((entries) => entries.map(({ t }) => t)));
const status = ({ record }: Facts) => record?.status ?? "absent";
const isOver = (facts: Facts) => facts.record !== undefined && isEnded(facts.record.status);

/** Returns true if an earlier write of a transition has taken effect. Writes that may be left out always have. */
const holds: Readonly<Record<string, (facts: Facts) => boolean>> = {
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
  relisted: ({ isRelisted }) => isRelisted,
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
  subscriptions: () => true,
  claim: ({ isClaimed }) => isClaimed,
  entries: ({ record, open, places }) => record === undefined && open === undefined && places.size === 0,
};

/**
 * Records the writes of all processes to the durable runs of a storage, and compares each with the table of transitions
 * in `docs/architecture.md`: it must be the next write of a transition, which means that the writes before it have taken
 * effect.
 */
export class RunWriteRecorder {
  /** The writes that the table does not allow. */
  readonly violations: string[] = [];
  /** The transitions and writes that were seen, such as `answer.open`. */
  readonly seen = new Set<string>();
  readonly #runs = new Map<string, Facts>();
  /** Writes that the scene does not make, so that later writes do not wait for them. */
  readonly #absent: readonly string[];

  /** @param absent writes that are taken as made: those in the log, for scenes with a store alone */
  constructor(absent: readonly string[] = []) {
    this.#absent = absent;
  }

  /** Returns the storage with its writes recorded. */
  watch<Driver extends StorageDriver>(driver: Driver): Driver {
    const write = (namespace: string, key: string, value: Json | null) => this.write(namespace, key, value);
    return new Proxy(driver, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        const call = async (...args: unknown[]) => (await Reflect.apply(member, target, args)) as unknown;
        switch (name) {
          case "set":
          case "delete":
            return async (namespace: string, key: string, value: Json | null = null) => {
              await call(namespace, key, ...(name === "set" ? [value] : []));
              write(namespace, key, value);
            };
          case "compareAndSet":
            return async (namespace: string, key: string, expected: Json | null, next: Json | null) => {
              const isDone = await call(namespace, key, expected, next);
              if (isDone === true) write(namespace, key, next);
              return isDone;
            };
          case "insertAll":
            return async (writes: readonly { namespace: string; key: string; value: Json }[]) => {
              const done = (await call(writes)) as boolean[];
              this.#checkBatch(writes);
              for (const [index, each] of writes.entries()) {
                if (done[index] === true) write(each.namespace, each.key, each.value);
              }
              return done;
            };
          case "transaction":
            return async (writes: readonly { namespace: string; key: string; value: Json | null }[]) => {
              await call(writes);
              for (const each of writes) write(each.namespace, each.key, each.value);
            };
          default:
            return member.bind(target) as unknown;
        }
      },
    });
  }

  /** Returns true if all writes of a transition have taken effect for a run. */
  isComplete(name: TransitionName, runId: string): boolean {
    const facts = this.#factsOf(runId);
    const { open, record } = facts;
    // The run of a cancellation is over at once.
    if (name === "cancel") return facts.inbox.has("cancel") && facts.isRelisted && isOver(facts);
    const waitsForUpgrade = record?.waits?.[0]?.kind === "upgrade";
    const isOpenCurrent =
      open === undefined ||
      (open.activation === record?.activation && (open.waitsForUpgrade === true) === waitsForUpgrade);
    return isOpenCurrent && transitions[name].writes.every((write) => holds[write]?.(facts) !== false);
  }

  #factsOf(runId: string): Facts {
    const known = this.#runs.get(runId);
    if (known !== undefined) return known;
    const facts: Facts = {
      record: undefined,
      open: undefined,
      places: new Set(),
      ends: new Set(),
      log: new Map(),
      inbox: new Set(),
      input: new Set(),
      isClaimed: false,
      isRelisted: false,
    };
    this.#runs.set(runId, facts);
    return facts;
  }

  /** Checks the order of a batch that stores a new run: a storage without batches makes one write after the other. */
  #checkBatch(writes: readonly { namespace: string; key: string }[]): void {
    const namespaces = writes.map(({ namespace }) => namespace);
    if (!namespaces.includes(runNamespaces.runs)) return;
    const ranks: readonly string[] = [runNamespaces.open, runNamespaces.byOwner, runNamespaces.log, runNamespaces.runs];
    const perRun = Map.groupBy(writes, ({ namespace, key }) => runOf(namespace, key));
    for (const own of perRun.values()) {
      const order = own.map(({ namespace }) => ranks.indexOf(namespace));
      if (order.some((rank, index) => rank < (order[index - 1] ?? 0))) this.#refuse(["accept", "record"], "its batch");
    }
  }

  /** Records a write that was made, after all earlier ones; `null` for the removal of a record. */
  write(namespace: string, key: string, value: Json | null): void {
    if (!(Object.values(runNamespaces) as string[]).includes(namespace)) return;
    const runId = runOf(namespace, key);
    const facts = this.#factsOf(runId);
    const steps = stepsOf({ namespace, key, value }, facts);
    const wrong = steps.length > 0 && !steps.some((step) => this.#isNext(step, facts));
    if (wrong) this.#refuse(steps[0], `${namespace} ${key} of a run that is ${status(facts)}`);
    if (namespace === runNamespaces.log && value !== null && types(facts).has("end")) {
      this.#refuse(["end", "end"], `${key} after the end of the run`);
    }
    apply({ namespace, key, value }, facts);
  }

  /** Returns true if all writes before this one have taken effect. */
  #isNext([name, write]: Step, facts: Facts): boolean {
    const before = (transitions[name].writes as readonly string[]).slice(
      0,
      (transitions[name].writes as readonly string[]).indexOf(write),
    );
    const isKnown = (transitions[name].writes as readonly string[]).includes(write);
    const isNext = isKnown && before.every((each) => this.#absent.includes(each) || holds[each]?.(facts) === true);
    if (isNext) this.seen.add(`${name}.${write}`);
    return isNext;
  }

  #refuse(step: Step | undefined, what: string): void {
    this.violations.push(`${step?.join(".") ?? "no transition"}: ${what}`);
  }
}

function runOf(namespace: string, key: string): string {
  if (namespace === runNamespaces.subscriptions) return decodeURIComponent(key.split("/")[1] ?? "");
  return namespace === runNamespaces.byOwner ? runIdOf(key) : decodeURIComponent(key.split("/", 1)[0] ?? "");
}

type Write = { readonly namespace: string; readonly key: string; readonly value: Json | null };

/** Returns the writes of transitions that a write of a storage may be; none if the table does not order it. */
function stepsOf({ namespace, key, value }: Write, facts: Facts): Step[] {
  const over = isOver(facts);
  switch (namespace) {
    case runNamespaces.open:
      // A late deletion finds nothing.
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
      // Two processes may remove one run.
      return facts.open === undefined ? [] : [["dropOrphan", "log"]];
    case runNamespaces.input:
      if (value !== null) return [["acceptLong", "input"]];
      return facts.record === undefined && facts.open !== undefined ? [["dropOrphan", "noInput"]] : [];
    case runNamespaces.subscriptions:
      return value === null && facts.record === undefined ? [["removeEntries", "subscriptions"]] : [];
    case runNamespaces.inbox:
      if (value === null || status(facts) !== "waiting") return [];
      return key.endsWith("/cancel") ? [["cancel", "cancel"]] : [["answer", "answer"]];
    case runNamespaces.runs:
      return recordSteps(value as RunRecord | null, facts);
    default:
      return [];
  }
}

function placeSteps({ key, value }: Pick<Write, "key" | "value">, facts: Facts): Step[] {
  const isEnd = isEndKey(key);
  if (value !== null) return isEnd ? [] : [["accept", "places"]];
  if (isEnd) return [];
  if (facts.record === undefined) return facts.open === undefined ? [] : [["dropOrphan", "unplaced"]];
  // Other entries are left of an acceptance that came too late.
  if (!isOwnPlace(key, facts)) return [];
  return isOver(facts) ? [["settle", "unplaced"]] : [["removeEntries", "unplaced"]];
}

/** Returns true if an entry in a list of open runs belongs to the run's record, or to the run while it has none. */
function isOwnPlace(key: string, { record }: Facts): boolean {
  if (["#all/", "#session/", "#expires/"].some((prefix) => key.startsWith(prefix))) return false;
  if (record === undefined) return true;
  return key.startsWith("#anonymous/") || groupKeys(record, ["open"]).includes(key);
}

function recordSteps(next: RunRecord | null, facts: Facts): Step[] {
  if (next === null) return [["remove", "entries"]];
  if (facts.record === undefined) return [["accept", "record"]];
  if (next.status === facts.record.status) return [];
  if (next.status === "waiting") return next.waits?.[0]?.kind === "upgrade" ? [] : [["suspend", "waiting"]];
  if (next.status === "queued") return [["answer", "wake"]];
  if (isEnded(next.status) && next.error?.code !== "storage_corrupt") return [["end", "record"]];
  return [];
}

function isEndKey(key: string): boolean {
  return isOfEnd(key) || key.startsWith("#ended/") || key.startsWith("#bare/");
}

function apply({ namespace, key, value }: Write, facts: Facts): void {
  const change = (keys: Set<string>, name = key) => void (value === null ? keys.delete(name) : keys.add(name));
  const isKnown = facts.open !== undefined && facts.record === undefined;
  if (namespace === runNamespaces.open && isKnown && value !== null) facts.isClaimed = true;
  if (namespace === runNamespaces.open && value !== null && facts.inbox.has("cancel")) facts.isRelisted = true;
  if (namespace === runNamespaces.open) facts.open = value === null ? undefined : (value as unknown as OpenRun);
  if (namespace === runNamespaces.runs) facts.record = value === null ? undefined : (value as unknown as RunRecord);
  if (namespace === runNamespaces.byOwner) change(isEndKey(key) ? facts.ends : facts.places);
  if (namespace === runNamespaces.input) change(facts.input);
  if (namespace === runNamespaces.inbox) change(facts.inbox, key.slice(key.indexOf("/") + 1));
  if (namespace !== runNamespaces.log) return;
  if (value === null) facts.log.delete(key);
  else facts.log.set(key, (value as unknown as { entries: LogEntry[] }).entries);
}
