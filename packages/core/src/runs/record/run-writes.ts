import { mapBounded } from "../../base/async/map-bounded.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { isInvalid } from "../../sessions/storage/storage-failure.ts";
import { canTransact } from "../../sessions/storage/shared-driver.ts";
import type { Write } from "../../sessions/storage/storage-driver.ts";
import type { RunStorage } from "./run-record.ts";

/** The states of a durable run, as its record and its log show them. */
type RunState = "absent" | "queued" | "running" | "waiting" | "ended";

/** One transition of a run: the states in which it may begin, its state afterwards, and its writes in their order. */
type Transition = {
  readonly from: readonly RunState[];
  readonly to: RunState;
  readonly writes: readonly string[];
  /** Writes whose order among themselves does not matter. @default none */
  readonly free?: readonly string[];
  /** The reason for the order of the writes. */
  readonly why: string;
};

/**
 * The transitions of durable runs. A process may end between any two writes, so their order decides what another
 * process finds. The order is written down only here: `writeInOrder` and `inOrder` follow it, the model checker proves
 * it, and the recorder of the tests compares the writes of a storage with it.
 *
 * `open` is the entry in the list of open runs, from which a periodic sweep continues a run. `places` are the entries
 * of an open run in other lists, `ends` are the entries of an ended run.
 */
export const transitions = {
  accept: {
    from: ["absent"],
    to: "queued",
    writes: ["open", "places", "attempt", "record"],
    why: "A record implies all other entries, and the sweep finds the remains of an acceptance by its open entry.",
  },
  acceptLong: {
    from: ["absent"],
    to: "absent",
    writes: ["open", "input"],
    why: "The sweep finds the pieces of the input if the process ends before the record is stored.",
  },
  call: {
    from: ["queued", "running", "waiting"],
    to: "running",
    writes: ["call", "effect", "done"],
    why: "A call without a result may have had its effect; a result is never stored before the effect.",
  },
  suspend: {
    from: ["queued", "running", "waiting"],
    to: "waiting",
    writes: ["wait", "running", "waiting", "unlisted"],
    free: ["running", "waiting"],
    why: "A run leaves the open runs only once its record shows the wait, so that an answer wakes it.",
  },
  waitForUpgrade: {
    from: ["queued", "running", "waiting"],
    to: "waiting",
    writes: ["waiting", "open"],
    why: "A process that begins to serve finds in the open runs those that wait for an upgrade.",
  },
  answer: {
    from: ["queued", "running", "waiting"],
    to: "waiting",
    writes: ["open", "answer", "wake"],
    why: "The sweep finds the answer of a waiting run if the process ends before it wakes the run.",
  },
  wake: {
    from: ["waiting"],
    to: "queued",
    writes: ["queued", "activation"],
    why: "The entry among the open runs is there; it has the activation only after the record has it.",
  },
  cancel: {
    from: ["queued", "running", "waiting"],
    to: "waiting",
    writes: ["open", "cancel"],
    why: "The sweep finds the cancellation of a waiting run.",
  },
  end: {
    from: ["queued", "running", "waiting"],
    to: "ended",
    writes: ["session", "end", "record"],
    why: "No attempt returns to the session after the end, and the log alone decides how a run ends.",
  },
  settle: {
    from: ["ended"],
    to: "ended",
    writes: ["ends", "unplaced", "unlisted"],
    why: "A reader of all lists finds each run, and the sweep repeats this by the open entry.",
  },
  notify: {
    from: ["queued", "running", "waiting", "ended"],
    to: "ended",
    writes: ["delivery", "outbox", "noted"],
    why: "The record keeps its notices until the outbox has them; an entry of the outbox without a delivery is dropped.",
  },
  removeLog: {
    from: ["absent", "ended"],
    to: "ended",
    writes: ["noInput", "noLog", "noInbox"],
    free: ["noInput", "noLog", "noInbox"],
    why: "Any order would do: the record or the open entry, which goes last, repeats it.",
  },
  remove: {
    from: ["ended", "queued", "running", "waiting"],
    to: "absent",
    writes: ["log", "deliveries", "entries"],
    free: ["log", "deliveries"],
    why: "What only the record leads to goes before it, so that an interrupted removal can be repeated.",
  },
  removeEntries: {
    from: ["ended", "queued", "running", "waiting"],
    to: "absent",
    writes: ["unlisted", "noRecord", "unplaced"],
    why: "An open entry without a record looks like an acceptance; readers drop list entries without a record.",
  },
  dropOrphan: {
    from: ["absent"],
    to: "absent",
    writes: ["claim", "noInput", "log", "unplaced", "unlisted"],
    free: ["noInput", "log", "unplaced"],
    why: "The open entry goes last: by it another process continues.",
  },
} as const satisfies Record<string, Transition>;

/** The name of a transition. */
export type TransitionName = keyof typeof transitions;

/** The names of the writes of a transition. */
export type WriteOf<Name extends TransitionName> = (typeof transitions)[Name]["writes"][number];

/**
 * For each transition of a run: the order of its writes. A test replaces an order by a wrong order, to prove that its
 * checks notice.
 */
export const writeOrders = new Map<string, readonly string[]>(
  Object.entries(transitions).map(([name, { writes }]) => [name, writes]),
);

/**
 * Makes the writes of a transition, one after the other, in the order of the table. A write that returns false ends the
 * transition: another process has changed the run.
 */
export async function writeInOrder<Name extends TransitionName>(
  name: Name,
  writes: { readonly [Each in WriteOf<Name>]?: (() => unknown) | undefined },
): Promise<void> {
  for (const write of writeOrders.get(name) ?? []) {
    const make = (writes as Record<string, (() => unknown) | undefined>)[write];
    if (make !== undefined && (await make()) === false) return;
  }
}

/** Returns writes that are made at once, such as the writes of a batch, in the order of the table. */
export function inOrder<Name extends TransitionName, Item>(
  name: Name,
  writes: { readonly [Each in WriteOf<Name>]?: readonly Item[] },
): Item[] {
  return (writeOrders.get(name) ?? []).flatMap(
    (write) => (writes as Record<string, readonly Item[] | undefined>)[write] ?? [],
  );
}

/** Milliseconds for which writes that are not urgent wait, to be made together. */
const gatherMs = 50;

/** A record to insert into the storage unless its key is taken. */
export type Insert = { readonly namespace: string; readonly key: string; readonly value: Json };

/** The records of one run to insert, and the callback that receives true if the last record was inserted. */
type Insertion = { writes: readonly Insert[]; resolve: (isNew: boolean) => void; reject: (error: unknown) => void };

/**
 * Writes of many runs that are sent to the storage together, because the cost of a commit hardly depends on its size.
 */
export class GatheredWrites {
  readonly #storage: RunStorage;
  #insertions: Insertion[] = [];
  #late: Write[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(storage: RunStorage) {
    this.#storage = storage;
  }

  /**
   * Inserts the records of a run that do not exist yet, together with all records that are inserted in the same turn of
   * the event loop. Returns true if the last record was inserted.
   */
  insert(writes: readonly Insert[]): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#insertions.push({ writes, resolve, reject });
      if (this.#insertions.length === 1) setImmediate(() => void this.#insertAll());
    });
  }

  /**
   * Makes writes of a run soon. If they fail, or the process ends first, the periodic sweep of open runs repeats them.
   */
  async writeLater(writes: readonly Write[]): Promise<void> {
    // Gathering writes gains nothing with storage in memory.
    if (this.#storage instanceof InMemoryStorage) return await writeAll(this.#storage, writes);
    this.#late.push(...writes);
    this.#timer ??= setTimeout(() => void this.flush(), gatherMs);
  }

  /** Immediately makes the writes that were gathered so far. Never rejects. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const writes = this.#late.splice(0);
    if (writes.length > 0) await writeAll(this.#storage, writes).catch(() => undefined);
  }

  async #insertAll(): Promise<void> {
    const insertions = this.#insertions.splice(0);
    const storage = this.#storage;
    if (storage.insertAll === undefined) return await this.#insertEach(insertions);
    try {
      const inserted = await storage.insertAll(insertions.flatMap(({ writes }) => writes));
      let last = -1;
      for (const { writes: own, resolve } of insertions) resolve(inserted[(last += own.length)] === true);
    } catch (error) {
      // No record was inserted, because some run has invalid records. Each run's records are now inserted separately.
      if (isInvalid(error)) return await this.#insertEach(insertions);
      // After any other failure all records may be stored: a second insertion would mistake a new run for an existing
      // run.
      for (const { reject } of insertions) reject(error);
    }
  }

  async #insertEach(insertions: readonly Insertion[]): Promise<void> {
    await mapBounded(insertions, async ({ writes, resolve, reject }) => {
      await insertRecords(this.#storage, writes).then((inserted) => resolve(inserted.at(-1) === true), reject);
    });
  }
}

/** Inserts records, in order, unless their keys are taken. Returns true for each inserted record. */
export async function insertRecords(storage: RunStorage, writes: readonly Insert[]): Promise<boolean[]> {
  if (storage.insertAll !== undefined) return await storage.insertAll(writes);
  const inserted: boolean[] = [];
  for (const { namespace, key, value } of writes) {
    inserted.push(await storage.compareAndSet(namespace, key, null, value));
  }
  return inserted;
}

/** Makes writes in one transaction if the storage supports transactions. */
export async function writeAll(storage: RunStorage, writes: readonly Write[]): Promise<void> {
  if (canTransact(storage)) return await storage.transaction(writes);
  for (const { namespace, key, value } of writes) await storage.set(namespace, key, value);
}
