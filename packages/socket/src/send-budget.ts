import type { CallerKey } from "@troupe/core/transport";

/** A connection that holds bytes for its client. */
export interface ByteHolder {
  /** The user of the client. All clients without a user count as one caller. */
  readonly caller: CallerKey;
  /** The number of bytes held for the client. */
  readonly heldBytes: number;
  /** The position of the connection's last drain in the order of all drains: the lower, the longer ago. */
  readonly lastDrain: number;
  /** The number of bytes that are being sent to the client. It decreases while the client reads. */
  readonly leftBytes: number;
  /** Drops the client and the bytes held for it. `isSending` is true while a packet is being sent to the client. */
  drop(isSending: boolean): void;
}

/**
 * Bytes sent to clients after which the event loop must turn, because sockets are written, read and freed only in a
 * later turn.
 */
const turnBytes = 4_194_304;

/** Milliseconds between two checks of the clients while more than half of the limit is held. */
const lookMs = 500;

/** Consecutive checks without any reading after which a client counts as having stopped. */
const mostIdleLooks = 3;

/**
 * Consecutive checks after which a client counts as having stopped if it reads, but has not once read everything that
 * was sent to it.
 */
const mostSlowLooks = 60;

type Look = { readonly drain: number; readonly left: number; readonly idle: number; readonly slow: number };

/**
 * The bytes that all connections of a gateway hold for their clients. From half of the limit on, runs of callers who
 * hold their share wait for clients to read. Clients that have stopped reading are dropped: first those of the caller
 * who holds the most, and among these the client that read longest ago. Clients that keep reading are dropped only if
 * the limit itself is exceeded. Runs also wait for a turn of the event loop after each 4 MB. Many large answers could
 * otherwise fill the memory before the first is read.
 */
export class SendBudget {
  readonly #maxBytes: number;
  readonly #holders = new Set<ByteHolder>();
  readonly #byCaller = new Map<CallerKey, number>();
  #looks = new WeakMap<ByteHolder, Look>();
  #bytes = 0;
  #drains = 0;
  #bytesInTurn = 0;
  #nextTurn: Promise<void> | undefined;
  #freed: PromiseWithResolvers<void> | undefined;
  #looking: NodeJS.Timeout | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The number of bytes that all connections hold. */
  get heldBytes(): number {
    return this.#bytes;
  }

  /** Returns true if a caller's runs may send more now: there is room, and the event loop need not turn first. */
  hasRoom(caller: CallerKey): boolean {
    return this.#bytesInTurn < turnBytes && !this.#isFull(caller);
  }

  /** Resolves when there may be room for a caller: the event loop has turned, or clients have read. */
  async untilRoom(caller: CallerKey): Promise<void> {
    if (!this.#isFull(caller)) return await this.#untilTurn();
    this.#freed ??= Promise.withResolvers();
    await this.#freed.promise;
  }

  /**
   * Counts the bytes of a sent packet. After `turnBytes` bytes, nothing more is sent before the next turn of the event
   * loop.
   */
  countSent(bytes: number): void {
    this.#bytesInTurn += bytes;
  }

  /** Returns the number of a new drain. Drains are numbered in the order in which they begin. */
  nextDrain(): number {
    return ++this.#drains;
  }

  /**
   * Records that a connection holds this many bytes more, or fewer if negative. `caller`: the caller whose share
   * changes.
   */
  change(holder: ByteHolder, bytes: number, caller = holder.caller): void {
    this.#count(caller, bytes);
    if (holder.heldBytes > 0) this.#holders.add(holder);
    else this.#holders.delete(holder);
    if (bytes < 0) this.#wake();
    if (this.#bytes > this.#half) this.#looking ??= setInterval(() => this.#look(), lookMs).unref();
    while (this.#bytes > this.#maxBytes && this.#holders.size > 0) {
      const chosen = this.#choose(this.#holders);
      chosen?.drop(chosen === holder);
    }
  }

  #count(caller: CallerKey, bytes: number): void {
    this.#bytes += bytes;
    const held = (this.#byCaller.get(caller) ?? 0) + bytes;
    if (held > 0) this.#byCaller.set(caller, held);
    else this.#byCaller.delete(caller);
  }

  get #half(): number {
    return this.#maxBytes / 2;
  }

  /**
   * Returns true if more than half of the limit is held, and this caller holds at least an equal share of that half.
   * Callers without held bytes are not delayed by clients that do not read.
   */
  #isFull(caller: CallerKey): boolean {
    if (this.#bytes <= this.#half) return false;
    return (this.#byCaller.get(caller) ?? 0) >= this.#half / this.#byCaller.size;
  }

  async #untilTurn(): Promise<void> {
    this.#nextTurn ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#nextTurn = undefined;
        this.#bytesInTurn = 0;
        resolve();
      });
    });
    await this.#nextTurn;
  }

  #wake(): void {
    this.#freed?.resolve();
    this.#freed = undefined;
  }

  /**
   * Drops clients that have stopped reading if more than half of the limit is held, until only a quarter is held. If it
   * stopped at half, the next answer would exceed half again, and the clients would be dropped one by one.
   */
  #look(): void {
    const stopped = new Set([...this.#holders].filter((holder) => this.#hasStopped(holder)));
    const kept = this.#bytes > this.#half ? this.#half / 2 : Infinity;
    while (this.#bytes > kept && stopped.size > 0) {
      const chosen = this.#choose(stopped);
      if (chosen === undefined) break;
      stopped.delete(chosen);
      chosen.drop(false);
    }
    if (this.#bytes > this.#half) return;
    clearInterval(this.#looking);
    this.#looking = undefined;
    this.#looks = new WeakMap();
  }

  #hasStopped(holder: ByteHolder): boolean {
    const before = this.#looks.get(holder);
    const { lastDrain: drain, leftBytes: left } = holder;
    const isSame = before !== undefined && drain === before.drain;
    const slow = isSame ? before.slow + 1 : 0;
    const idle = isSame && left >= before.left ? before.idle + 1 : 0;
    this.#looks.set(holder, { drain, left, idle, slow });
    return idle >= mostIdleLooks || slow >= mostSlowLooks;
  }

  #choose(holders: ReadonlySet<ByteHolder>): ByteHolder | undefined {
    const byCaller = Map.groupBy(holders, ({ caller }) => caller);
    let [chosen, most]: [readonly ByteHolder[], number] = [[], 0];
    for (const each of byCaller.values()) {
      const held = each.reduce((sum, { heldBytes }) => sum + heldBytes, 0);
      if (held > most) [chosen, most] = [each, held];
    }
    return chosen.toSorted((one, other) => one.lastDrain - other.lastDrain)[0];
  }
}
