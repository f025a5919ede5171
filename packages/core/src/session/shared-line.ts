import { sleep } from "../async/sleep.ts";
import { isSamePlace, planLine } from "./line-record.ts";
import type { LineRecord, StoredPlace, Wish } from "./line-record.ts";
import type { PlaceInLine } from "./place-in-line.ts";
import { StoredLine } from "./stored-line.ts";
import type { Found, LineKeeper } from "./stored-line.ts";
import { Ticket } from "./ticket.ts";
import { refusalOf } from "./turn-queue.ts";
import type { JoinOptions } from "./turn-queue.ts";

const nobody: ReadonlySet<string> = new Set();

const firstPollMs = 5;
const longestPollMs = 250;

/** How often in a row the storage may fail before those who wait hear of it. */
const tries = 3;

/**
 * The part that one process has in the line for one session. All that becomes of it is decided in rounds, one after the
 * other: the stored line is looked at unless it is known, planned anew and, when there is something to change, replaced.
 */
export class SharedLine {
  readonly #keeper: LineKeeper;
  readonly #key: string;
  readonly #onEmpty: () => void;
  readonly #line: StoredLine;
  /** Those of this process, first come first. */
  readonly #tickets: Ticket[] = [];
  /** What was last read or written; `undefined` when it is known to be old. */
  #known: LineRecord | null | undefined;
  #isWorking = false;
  #isWanted = false;
  #timer: NodeJS.Timeout | undefined;
  #pollMs = firstPollMs;
  #defeats = 0;
  #failures = 0;
  #hadTurn = false;
  #forgets = false;

  constructor(keeper: LineKeeper, key: string, onEmpty: () => void) {
    this.#keeper = keeper;
    this.#key = key;
    this.#onEmpty = onEmpty;
    this.#line = new StoredLine(keeper, key);
  }

  /** How many of this process have the session or wait for it. */
  get length(): number {
    return this.#tickets.length;
  }

  join(options: JoinOptions): PlaceInLine {
    const ticket = new Ticket(this.#keeper.nextNumber(), options, () => this.#leave(ticket));
    this.#tickets.push(ticket);
    this.#start();
    return ticket.place;
  }

  #leave(ticket: Ticket): void {
    if (!this.#remove(ticket)) return;
    if (ticket.state === "first") this.#forgets = ticket.forgets;
    this.#start();
  }

  #remove(ticket: Ticket): boolean {
    const index = this.#tickets.indexOf(ticket);
    if (index !== -1) this.#tickets.splice(index, 1);
    return index !== -1;
  }

  #start(): void {
    this.#isWanted = true;
    if (this.#isWorking) return;
    this.#isWorking = true;
    clearTimeout(this.#timer);
    // A turn is given back before this returns, as far as the storage goes: it may be closed right after.
    void this.#work();
  }

  /** Never rejects. */
  async #work(): Promise<void> {
    while (this.#isWanted) {
      this.#isWanted = false;
      const asking = [...this.#tickets];
      try {
        await this.#round();
        this.#failures = 0;
      } catch (error) {
        await this.#fail(error, asking);
      }
    }
    this.#isWorking = false;
    if (this.#tickets.length > 0) return this.#rest();
    // Whom those have seen who were refused is needed when they come again.
    if (this.#hadTurn) this.#keeper.sightings.forget(this.#key);
    this.#onEmpty();
  }

  async #round(): Promise<void> {
    const found = this.#needsLook() ? await this.#line.look() : { stored: this.#known ?? null, dead: nobody };
    const { stored, dead } = found;
    this.#noteLoss(stored);
    this.#admit(found);
    const asking = [...this.#tickets];
    const next = planLine(stored, this.#wish(asking, dead));
    if (next !== stored && !(await this.#line.replace(stored, next))) return await this.#retry();
    this.#defeats = 0;
    if (next?.token !== this.#known?.token) this.#pollMs = firstPollMs;
    this.#known = next;
    for (const ticket of asking) if (ticket.state === "new") ticket.state = "waiting";
    this.#grant(next);
  }

  /** While this process has the session, only those behind it change, which shows when writing. Who comes has to see them. */
  #needsLook(): boolean {
    const first = this.#known?.line[0];
    return first?.process !== this.#keeper.process || this.#tickets.some(({ state }) => state === "new");
  }

  /** Whoever had the session and is not first any more was taken for dead. The storage refuses their turns. */
  #noteLoss(stored: LineRecord | null): void {
    const holder = this.#tickets.find(({ state }) => state === "first");
    if (holder !== undefined && !isSamePlace(stored?.line[0], this.#placeOf(holder))) this.#remove(holder);
  }

  #admit({ stored, dead }: Found): void {
    const arrivals = this.#tickets.filter(({ state }) => state === "new");
    if (arrivals.length === 0) return;
    const present = this.#tickets.filter(({ state }) => state !== "new");
    const wasFree = (stored?.line.length ?? 0) === 0;
    let inLine = planLine(stored, this.#wish(present, dead))?.line.length ?? 0;
    for (const ticket of arrivals) {
      ticket.hadToWait ||= !wasFree || inLine > 0;
      ticket.look();
      const refusal = refusalOf(inLine, ticket.options);
      if (refusal === null) inLine += 1;
      else this.#refuse(ticket, refusal);
    }
  }

  #wish(tickets: readonly Ticket[], dead: ReadonlySet<string>): Wish {
    const isDue = tickets.length > 0 && this.#line.dueInMs <= 0;
    const numbers = tickets.map(({ number }) => number);
    return { sign: this.#line.newSign(), tickets: numbers, dead, isDue, forgets: this.#forgets };
  }

  #grant(record: LineRecord | null): void {
    const first = this.#tickets.find((ticket) => isSamePlace(record?.line[0], this.#placeOf(ticket)));
    if (record === null || first === undefined || first.state === "first") return;
    const { token } = record;
    this.#hadTurn = true;
    first.grant({ appends: { ifHeld: { key: this.#key, token } }, confirm: () => this.#line.confirm(token) });
  }

  #refuse(ticket: Ticket, error: unknown): void {
    this.#remove(ticket);
    ticket.refuse(error);
  }

  #placeOf({ number }: Ticket): StoredPlace {
    return { process: this.#keeper.process, ticket: number };
  }

  /** Another process was faster, and what was read of the session meanwhile is old. */
  async #retry(): Promise<void> {
    this.#known = undefined;
    this.#isWanted = true;
    for (const ticket of this.#tickets) ticket.hadToWait = true;
    this.#defeats += 1;
    if (this.#defeats >= tries) await sleep(jittered(firstPollMs));
  }

  /**
   * Whoever has just come hears of it, as of any call that fails. Those who wait, and a place that was given up, are worth
   * another try; and whoever has the session finds out by itself whether it can still store what it did.
   */
  async #fail(error: unknown, asking: readonly Ticket[]): Promise<void> {
    this.#known = undefined;
    // Who is silent while nobody can be heard is not dead.
    this.#keeper.sightings.forget(this.#key);
    this.#failures += 1;
    const isLasting = this.#failures >= tries;
    const present = asking.filter((ticket) => this.#tickets.includes(ticket));
    for (const ticket of present) {
      if (ticket.state === "new" || (isLasting && ticket.state === "waiting")) this.#refuse(ticket, error);
    }
    if (isLasting) return void (this.#failures = 0);
    this.#isWanted = true;
    await sleep(jittered(firstPollMs));
  }

  /** Until it is time to see whether it is our turn or, having it, to give a sign of life. */
  #rest(): void {
    const start = () => this.#start();
    if (this.#tickets.some(({ state }) => state === "first")) {
      // A storage that is down is best left alone for a while.
      const leastMs = this.#known === undefined ? this.#keeper.leaseMs / 10 : 0;
      // A run that hangs is not to keep its process alive.
      this.#timer = setTimeout(start, Math.max(this.#line.dueInMs, leastMs)).unref();
      return;
    }
    this.#timer = setTimeout(start, jittered(this.#pollMs));
    this.#pollMs = Math.min(this.#pollMs * 1.5, longestPollMs);
  }
}

/** Processes that met once are not to meet at each further try. */
function jittered(ms: number): number {
  return ms * (0.75 + Math.random() / 2);
}
