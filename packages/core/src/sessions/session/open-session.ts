import type { ContentPart } from "../../base/message/content.ts";
import { mapBounded } from "../../base/async/map-bounded.ts";
import { integerOption } from "../../base/errors/option-checks.ts";
import type { CreatedSession } from "./create-session.ts";
import type { Lease } from "../lock/lease.ts";
import type { SessionRecord } from "./session-record.ts";
import type { TurnLog } from "./turn-log-type.ts";
import { PartStore } from "./part-store.ts";
import { newTurnRecord } from "./turn-record.ts";
import type { NewTurn, StoredTurn, TurnRecord } from "./turn-record.ts";
import { untilAborted } from "../../base/async/until-aborted.ts";

const checkCount = integerOption(0);

type Parts = CreatedSession & { sessionId: string; log: TurnLog; parts: PartStore; lease: Lease };

/**
 * A session whose lease the caller holds: loads its turns and appends new turns. `SessionStore.open` returns it;
 * release it in a `finally`.
 */
export class OpenSession {
  readonly sessionId: string;
  readonly #log: TurnLog;
  readonly #parts: PartStore;
  readonly #lease: Lease;
  #session: SessionRecord;
  /** Ids of the runs whose turns are known to be stored. */
  #stored: Set<string> | undefined;
  /** True while the write of a turn has an unknown outcome. */
  #isUncertain = false;

  /** The turn whose large data was written last. That data is not written again when the turn is retried. */
  #prepared: TurnRecord | undefined;
  #madeTitle = false;

  /** True for a new session until its first turn is appended: there are no turns to read. */
  #isEmpty: boolean;

  constructor({ sessionId, session, log, parts, lease, isNew }: Parts) {
    this.sessionId = sessionId;
    this.#session = session;
    this.#log = log;
    this.#parts = parts;
    this.#lease = lease;
    this.#isEmpty = isNew;
  }

  /** The id of the durable run that waits for an answer in this session; undefined if there is none. */
  get waitingRun(): string | undefined {
    return this.#session.waiting;
  }

  /** True if a turn that this object appended gave the session its title. */
  get madeTitle(): boolean {
    return this.#madeTitle;
  }

  /** Returns up to `count` of the session's newest turns, oldest first. Older turns are not read. */
  async loadTurns(count: number, signal?: AbortSignal): Promise<StoredTurn[]> {
    const turns = await this.loadTurnsWithoutData(count, signal);
    return await untilAborted(() => this.#parts.fillTurns(turns), signal);
  }

  /**
   * Returns the newest turns, oldest first, without data that is stored in pieces. `loadPart` reads the data of one
   * part.
   */
  async loadTurnsWithoutData(count: number, signal?: AbortSignal): Promise<StoredTurn[]> {
    if (count !== Infinity) checkCount(count, "The number of turns to load", {});
    if (count === 0 || this.#isEmpty) return [];
    return await untilAborted(() => this.#log.newest(count, this.#session), signal);
  }

  /** Returns a part of a turn with its data. */
  async loadPart(part: ContentPart, signal?: AbortSignal): Promise<ContentPart> {
    return await untilAborted(() => this.#parts.fillPart(part), signal);
  }

  /**
   * Returns the turns with these numbers, in order, without deleted turns and without data that is stored in pieces.
   */
  async loadTurnsAt(numbers: readonly number[], signal?: AbortSignal): Promise<StoredTurn[]> {
    const load = () => mapBounded(numbers, (seq) => this.#log.after(seq - 1, 1, this.#session));
    const found = await untilAborted(load, signal);
    return found.flatMap((turns, index) => turns.filter(({ seq }) => seq === numbers[index]));
  }

  /** Returns true if the turn of this number, which the session had, was deleted. False for 0. */
  async isDeleted(seq: number, signal?: AbortSignal): Promise<boolean> {
    if (this.#session.removed === undefined || seq === 0) return false;
    return (await this.loadTurnsAt([seq], signal)).length === 0;
  }

  /**
   * Stores the turn and returns its number. If it rejects, the turn is stored whole or not at all, and may be appended
   * again: it is recognised by its `runId` and stored once.
   *
   * The signal ends the waiting. Do not pass the run's signal, because a cancelled run still stores the work of its
   * tools.
   */
  async appendTurn(turn: NewTurn, signal?: AbortSignal): Promise<number> {
    const record = newTurnRecord(turn);
    await this.#lease.write(() => this.#append(record), signal);
    return this.#session.turns;
  }

  /** Releases the lease. May be called more than once. */
  release(): void {
    this.#lease.release();
  }

  async #append(turn: TurnRecord): Promise<void> {
    if (await this.#isStored(turn)) return;
    this.#isEmpty = false;
    this.#isUncertain = true;
    const before = this.#session;
    this.#session = await this.#log.append(await this.#prepare(turn), before);
    this.#madeTitle ||= before.title === undefined && this.#session.titleBy === "message";
    this.#isUncertain = false;
    this.#stored ??= new Set();
    this.#stored.add(turn.runId);
  }

  /**
   * Writes the large data of a turn, and returns the turn with references to it. A turn without large data is returned
   * unchanged.
   */
  async #prepare(turn: TurnRecord): Promise<TurnRecord> {
    if (!PartStore.hasLargeData(turn)) return turn;
    if (this.#prepared?.runId !== turn.runId) {
      const seq = await this.#log.next(this.#session);
      this.#prepared = await this.#parts.write(turn, seq, () => this.#lease.confirm());
    }
    return this.#prepared;
  }

  async #isStored({ runId }: TurnRecord): Promise<boolean> {
    if (this.#stored?.has(runId) === true) return true;
    if (!this.#isUncertain) return false;
    const missed = await this.#log.after(this.#session.turns, Infinity, this.#session);
    return missed.some((turn) => turn.runId === runId);
  }
}
