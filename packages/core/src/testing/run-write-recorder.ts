// oxlint-disable complexity, max-params -- the shape of a storage driver
import { runNamespaces } from "../agents/journal/log-entry.ts";
import { InMemoryStorage } from "../sessions/storage/in-memory-storage.ts";
import type { Json } from "../sessions/storage/json.ts";
import type { StorageDriver } from "../sessions/storage/storage-driver.ts";
import { isEnded } from "../runs/record/run-record.ts";
import { transitions } from "../runs/record/run-writes.ts";
import type { TransitionName } from "../runs/record/run-writes.ts";
import { apply, holds, runIdIn, status, transitionWritesOf, types } from "./run-write-steps.ts";
import type { Facts, Step, RecordedWrite } from "./run-write-steps.ts";

class RecordedMemory extends InMemoryStorage {
  readonly #recorder: RunWriteRecorder;

  constructor(recorder: RunWriteRecorder) {
    super();
    this.#recorder = recorder;
  }

  protected override write(namespace: string, key: string, text: string | undefined): void {
    super.write(namespace, key, text);
    this.#recorder.write(namespace, key, text === undefined ? null : (JSON.parse(text) as Json));
  }
}

/**
 * Records the writes of all processes to the durable runs of a storage, and compares each with the table of transitions
 * in `docs/durable-run-states.md`. Each write must be the next write of a transition: the transition's earlier writes must
 * have taken effect.
 */
export class RunWriteRecorder {
  /** The recorded writes that the table of transitions does not allow. */
  readonly violations: string[] = [];
  /** The transitions and writes that were seen, such as `answer.open`. */
  readonly seen = new Set<string>();
  readonly #runs = new Map<string, Facts>();
  /** Writes that the recorded test never makes. The writes that follow them in the table are allowed nevertheless. */
  readonly #absent: readonly string[];

  /**
   * @param absent writes of the table that the recorded test never makes, such as writes to logs in a test of the
   * `RunStore` alone
   */
  constructor(absent: readonly string[] = []) {
    this.#absent = absent;
  }

  /**
   * Makes storage in memory whose writes are recorded at the moment they are made. Use it for several processes:
   * otherwise a process may learn of its write after another process has made the next write.
   */
  memory(): InMemoryStorage {
    return new RecordedMemory(this);
  }

  /** Returns the storage with its writes recorded. A successful write is recorded right before its promise resolves. */
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
    // A cancellation is complete once the run is over.
    if (name === "cancel") return facts.inbox.has("cancel") && record !== undefined && isEnded(record.status);
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
      deliveries: new Set(),
      enqueued: new Set(),
      isClaimed: false,
    };
    this.#runs.set(runId, facts);
    return facts;
  }

  /** Checks the order of a batch that stores a new run: a storage without batches makes one write after the other. */
  #checkBatch(writes: readonly { namespace: string; key: string }[]): void {
    const namespaces = writes.map(({ namespace }) => namespace);
    if (!namespaces.includes(runNamespaces.runs)) return;
    const ranks: readonly string[] = [runNamespaces.open, runNamespaces.byOwner, runNamespaces.log, runNamespaces.runs];
    const perRun = Map.groupBy(writes, ({ namespace, key }) => runIdIn(namespace, key));
    for (const own of perRun.values()) {
      const order = own.map(({ namespace }) => ranks.indexOf(namespace));
      if (order.some((rank, index) => rank < (order[index - 1] ?? 0))) this.#refuse(["accept", "record"], "its batch");
    }
  }

  /**
   * Records writes that took effect at the same time, such as the writes of a transaction. Their order does not matter.
   */
  commit(writes: readonly RecordedWrite[]): void {
    const left = [...writes];
    while (left.length > 0) {
      const next = Math.max(
        0,
        left.findIndex((write) => this.#isAllowed(write)),
      );
      for (const { namespace, key, value } of left.splice(next, 1)) this.write(namespace, key, value);
    }
  }

  #isAllowed(write: RecordedWrite): boolean {
    const facts = this.#factsOf(runIdIn(write.namespace, write.key, write.value));
    const steps = transitionWritesOf(write, facts);
    return steps.length === 0 || steps.some((step) => this.#isNext(step, facts));
  }

  /** Records a write that was made, after all earlier writes; `value` is `null` if a record was removed. */
  write(namespace: string, key: string, value: Json | null): void {
    if (!(Object.values(runNamespaces) as string[]).includes(namespace)) return;
    const runId = runIdIn(namespace, key, value);
    const facts = this.#factsOf(runId);
    const steps = transitionWritesOf({ namespace, key, value }, facts);
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
