import type { ContentPart } from "../../base/message/content.ts";
import { mapBounded } from "../../base/async/map-bounded.ts";
import { integerOption } from "../../base/errors/option-checks.ts";
import type { HeldSession, OpenedSession } from "./opened-session.ts";
import type { SessionRecord } from "./session-record.ts";
import { PartStore } from "./part-store.ts";
import { newTurnRecord } from "./turn-record.ts";
import type { NewTurn, StoredTurn, TurnRecord } from "./turn-record.ts";
import { untilAborted } from "../../base/async/until-aborted.ts";

const checkCount = integerOption(0);

/**
 * A session whose lease the caller holds, or will hold as soon as another call needs the session: loads its turns and
 * appends new turns. `SessionStore.open` returns it; release it in a `finally`.
 */
export class OpenSession {
  readonly sessionId: string;
  readonly #opened: OpenedSession;
  #session: SessionRecord;
  /** The numbers of the turns that this object has stored, by run id. */
  #stored: Map<string, number> | undefined;
  /** If the outcome of a turn's write is unknown: the number of the last turn before it. Otherwise undefined. */
  #uncertainAfter: number | undefined;

  /** The turn whose large data was written last. That data is not written again when the turn is retried. */
  #prepared: TurnRecord | undefined;
  #madeTitle = false;

  /** True for a new session until its first turn is appended: there are no turns to read. */
  #isEmpty: boolean;

  constructor(sessionId: string, opened: OpenedSession) {
    this.sessionId = sessionId;
    this.#opened = opened;
    this.#session = opened.session;
    this.#isEmpty = opened.isNew;
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
    if (turns.length === 0) return turns;
    return await untilAborted(async () => await (await this.#opened.hold()).parts.fillTurns(turns), signal);
  }

  /**
   * Returns the newest turns, oldest first, without data that is stored in pieces. `loadPart` reads the data of one
   * part.
   */
  async loadTurnsWithoutData(count: number, signal?: AbortSignal): Promise<StoredTurn[]> {
    if (count !== Infinity) checkCount(count, "The number of turns to load", {});
    if (count === 0 || this.#isEmpty) return [];
    return await untilAborted(async () => await (await this.#opened.hold()).log.newest(count, this.#session), signal);
  }

  /** Returns a part of a turn with its data. */
  async loadPart(part: ContentPart, signal?: AbortSignal): Promise<ContentPart> {
    return await untilAborted(async () => await (await this.#opened.hold()).parts.fillPart(part), signal);
  }

  /**
   * Returns the turns with these numbers, in order, without deleted turns and without data that is stored in pieces.
   */
  async loadTurnsAt(numbers: readonly number[], signal?: AbortSignal): Promise<StoredTurn[]> {
    if (this.#isEmpty) return [];
    const load = async () => {
      const { log } = await this.#opened.hold();
      return await mapBounded(numbers, (seq) => log.after(seq - 1, 1, this.#session));
    };
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
    const first = PartStore.hasLargeData(record) ? undefined : this.#opened.storeFirst(record);
    const seq = first && (await this.#write(record, first));
    if (seq !== undefined) return seq;
    const held = await this.#opened.hold();
    return await held.lease.write(() => this.#append(record, held), signal);
  }

  /** Releases the lease. May be called more than once. */
  release(): void {
    this.#opened.release();
  }

  async #append(turn: TurnRecord, held: HeldSession): Promise<number> {
    const stored = await this.#storedNumber(turn, held);
    if (stored !== undefined) return stored;
    const written = held.log.append(await this.#prepare(turn, held), this.#session);
    return (await this.#write(turn, written)) ?? this.#session.turns;
  }

  /**
   * Waits until a turn is written, keeps the session's new record, and returns the turn's number. Returns undefined if
   * the turn was not written.
   */
  async #write({ runId }: TurnRecord, written: Promise<SessionRecord | undefined>): Promise<number | undefined> {
    const [before, uncertainBefore] = [this.#session, this.#uncertainAfter];
    this.#isEmpty = false;
    this.#uncertainAfter ??= before.turns;
    const session = await written;
    this.#uncertainAfter = session === undefined ? uncertainBefore : undefined;
    if (session === undefined) return undefined;
    this.#session = session;
    this.#madeTitle ||= before.title === undefined && session.titleBy === "message";
    this.#stored ??= new Map();
    this.#stored.set(runId, session.turns);
    return session.turns;
  }

  /**
   * Writes the large data of a turn, and returns the turn with references to it. A turn without large data is returned
   * unchanged.
   */
  async #prepare(turn: TurnRecord, { log, parts, lease }: HeldSession): Promise<TurnRecord> {
    if (!PartStore.hasLargeData(turn)) return turn;
    if (this.#prepared?.runId !== turn.runId) {
      const seq = await log.next(this.#session);
      this.#prepared = await parts.write(turn, seq, () => lease.confirm());
    }
    return this.#prepared;
  }

  /** Returns the number of a run's turn if it is stored; undefined otherwise. */
  async #storedNumber({ runId }: TurnRecord, { log }: HeldSession): Promise<number | undefined> {
    const known = this.#stored?.get(runId);
    if (known !== undefined || this.#uncertainAfter === undefined) return known;
    const missed = await log.after(this.#uncertainAfter, Infinity, this.#session);
    return missed.find((turn) => turn.runId === runId)?.seq;
  }
}
