import { runNamespaces } from "../../agents/journal/log-entry.ts";
import { mapBounded } from "../../base/async/map-bounded.ts";
import { createId } from "../../base/util/create-id.ts";
import { scan } from "../../sessions/session/scan.ts";
import { toJson } from "../../sessions/storage/check-json.ts";
import { decodeKey, encodeKey } from "../../sessions/storage/encode-key.ts";
import { ownerKey } from "../../sessions/storage/owner-key.ts";
import type { SessionOwner } from "../../sessions/storage/session-owner.ts";
import type { RunStorage } from "../record/run-record.ts";
import { readSchedule } from "./schedule-record.ts";
import type { ScheduleRecord } from "./schedule-record.ts";

const { schedules, dueSchedules, schedulesByOwner } = runNamespaces;

/** Milliseconds for which a list entry without its schedule is kept: its process may be about to store the schedule. */
const unusedMs = 60_000;
/**
 * Milliseconds after which a process that has written a list entry no longer stores its schedule, but starts over with
 * a new entry.
 */
const writeMs = 20_000;

/** An entry in the list of due schedules. */
export type DueEntry = { readonly key: string; readonly wakeAt: number; readonly id: string; readonly mark: string };

type StoreInit = {
  readonly storage: RunStorage;
  /** Milliseconds for which a schedule without further times is kept. */
  readonly keepMs: number;
};

/**
 * The stored schedules, with the list of due schedules and the lists of their owners. Each list entry contains the
 * random id of one change or creation of a schedule, so that removing it never removes a later entry. An entry is
 * written before the schedule, and removed after it: a stored schedule is never without its entries, even if a process
 * ends in between.
 */
export class ScheduleStore {
  readonly storage: RunStorage;
  readonly #keepMs: number;
  /** The monotonic times at which list entries without their schedule were first seen. */
  readonly #unused = new Map<string, number>();

  constructor({ storage, keepMs }: StoreInit) {
    this.storage = storage;
    this.#keepMs = keepMs;
  }

  async read(id: string): Promise<ScheduleRecord | null> {
    const key = encodeKey(id);
    return readSchedule(await this.storage.get(schedules, key), key);
  }

  /**
   * Stores a schedule if the stored record is still `before` (`null`: there is no record). Returns the new record;
   * undefined if the stored record is a different record.
   */
  async write(before: ScheduleRecord | null, given: ScheduleRecord): Promise<ScheduleRecord | undefined> {
    const wakeAt = given.endedAt === undefined ? given.wakeAt : given.endedAt + this.#keepMs;
    if (before === null || before.wakeAt !== wakeAt) {
      return await this.#writeWithEntry(before, { ...given, wakeAt, mark: createId() });
    }
    const record = { ...given, wakeAt, mark: before.mark };
    return (await this.#replace(before, record)) ? record : undefined;
  }

  async #writeWithEntry(before: ScheduleRecord | null, record: ScheduleRecord): Promise<ScheduleRecord | undefined> {
    const startedAt = performance.now();
    // Once the write is late, another process may have removed the entry, because its schedule is not stored yet.
    const isLate = (): boolean => performance.now() - startedAt >= writeMs;
    await this.#addEntry(record);
    if (isLate() || !(await this.#replace(before, record))) {
      await this.#removeEntry(record);
      return undefined;
    }
    if (isLate()) await this.#addEntry(record);
    await this.#removeEntry(before);
    return record;
  }

  async #replace(before: ScheduleRecord | null, next: ScheduleRecord | null): Promise<boolean> {
    const key = encodeKey((before ?? next)?.id ?? "");
    const [expected, value] = [before, next].map((record) => (record === null ? null : toJson(record)));
    return await this.storage.compareAndSet(schedules, key, expected ?? null, value ?? null);
  }

  async #addEntry(record: ScheduleRecord): Promise<void> {
    const entry = dueKey(record);
    if (entry !== undefined) await this.storage.set(dueSchedules, entry, { v: 1 });
  }

  async #removeEntry(record: ScheduleRecord | null): Promise<void> {
    const entry = record === null ? undefined : dueKey(record);
    if (entry !== undefined) await this.storage.delete(dueSchedules, entry);
  }

  /** Removes a schedule and its list entries. Returns false if another process has changed the schedule. */
  async remove(record: ScheduleRecord): Promise<boolean> {
    if (!(await this.#replace(record, null))) return false;
    await this.#removeEntry(record);
    await this.storage.delete(schedulesByOwner, ownedKey(record));
    return true;
  }

  /** Lists a new schedule for its owner, before the schedule is stored. */
  async addToOwner(record: ScheduleRecord): Promise<void> {
    await this.storage.set(schedulesByOwner, ownedKey(record), { v: 1 });
  }

  async removeFromOwner(record: ScheduleRecord): Promise<void> {
    await this.storage.delete(schedulesByOwner, ownedKey(record));
  }

  /** Returns the number of schedules that an owner has, including schedules that are being created. */
  async countOf(owner: SessionOwner): Promise<number> {
    const counts = await mapBounded(await this.#entriesOf(owner), async ({ key, id, creation }) => {
      const isUsed = (await this.read(id))?.creation === creation;
      return isUsed || !(await this.#dropUnused(schedulesByOwner, key)) ? 1 : 0;
    });
    return counts.reduce<number>((sum, count) => sum + count, 0);
  }

  /** Returns the schedules of an owner, sorted by id. */
  async listOf(owner: SessionOwner): Promise<ScheduleRecord[]> {
    const found = await mapBounded(await this.#entriesOf(owner), async ({ id, creation }) => {
      const record = await this.read(id);
      return record?.creation === creation ? [record] : [];
    });
    return found.flat();
  }

  /** Returns all schedules, sorted by id. */
  async listAll(): Promise<ScheduleRecord[]> {
    const pages = await Array.fromAsync(scan(this.storage, { namespace: schedules, prefix: "" }));
    return pages.flat().flatMap(({ key, value }) => readSchedule(value, key) ?? []);
  }

  async #entriesOf(owner: SessionOwner) {
    const prefix = `${ownerKey(owner)}/`;
    const pages = await Array.fromAsync(scan(this.storage, { namespace: schedulesByOwner, prefix }));
    return pages.flat().map(({ key }) => {
      const [id = "", creation = ""] = decodeKey(key.slice(prefix.length));
      return { key, id, creation };
    });
  }

  /** Returns the due entries in the list of due schedules, and the time of the first entry that is not due yet. */
  async listDue(now: number): Promise<{ due: DueEntry[]; nextAt: number | undefined }> {
    const due: DueEntry[] = [];
    for await (const page of scan(this.storage, { namespace: dueSchedules, prefix: "" })) {
      for (const { key } of page) {
        const [time = "", id = "", mark = ""] = decodeKey(key);
        const wakeAt = Number(time);
        if (wakeAt > now) return { due, nextAt: wakeAt };
        due.push({ key, wakeAt, id, mark });
      }
    }
    return { due, nextAt: undefined };
  }

  /**
   * Removes an entry from the list of due schedules that does not belong to the stored schedule, once every process
   * that could be storing a schedule for it must have finished.
   */
  async dropDue({ key }: DueEntry): Promise<void> {
    await this.#dropUnused(dueSchedules, key);
  }

  async #dropUnused(namespace: string, key: string): Promise<boolean> {
    const place = `${namespace} ${key}`;
    const seenAt = this.#unused.get(place);
    if (seenAt === undefined) this.#unused.set(place, performance.now());
    if (seenAt === undefined || performance.now() - seenAt < unusedMs) return false;
    await this.storage.delete(namespace, key);
    this.#unused.delete(place);
    return true;
  }
}

/** The number of digits of a time in a key: enough for each time that a date can have. */
const timeDigits = 16;

function dueKey({ wakeAt, id, mark }: ScheduleRecord): string | undefined {
  if (wakeAt === null) return undefined;
  return `${String(Math.ceil(wakeAt)).padStart(timeDigits, "0")}/${encodeKey(id, mark)}`;
}

function ownedKey({ owner, id, creation }: ScheduleRecord): string {
  return `${ownerKey(owner)}/${encodeKey(id, creation)}`;
}
