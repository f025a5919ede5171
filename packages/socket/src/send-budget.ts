/** A connection that holds bytes for its client. */
export interface ByteHolder {
  /** The user of the client, the same text for all clients without one. */
  readonly caller: string;
  /** The number of bytes that are held. */
  readonly heldBytes: number;
  /** Tells the order in which connections got rid of bytes last: the longest ago is the lowest. */
  readonly lastDrain: number;
  /** Gives the client up, with all that is held for it. `isSending`: within the call that sends it a packet. */
  drop(isSending: boolean): void;
}

/** The number of bytes after which the event loop turns: only then are sockets written, read, and freed. */
const turnBytes = 4_194_304;

/**
 * The bytes that all connections of a gateway hold for clients that do not read. Beyond the limit, the caller who holds the most
 * loses the connection of which nothing was read for the longest time: who reads is not shut out by those who do not. Runs wait
 * for a turn of the event loop after each 4 MB, or a crowd of large answers would fill the memory before the first of them is read.
 */
export class SendBudget {
  readonly #maxBytes: number;
  readonly #holders = new Set<ByteHolder>();
  #bytes = 0;
  #drains = 0;
  #bytesInTurn = 0;
  #nextTurn: Promise<void> | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The number of bytes that all connections hold. */
  get heldBytes(): number {
    return this.#bytes;
  }

  /** True if runs may send more before the event loop turns. */
  get hasTurn(): boolean {
    return this.#bytesInTurn < turnBytes;
  }

  /** Resolves when the event loop has turned. */
  async untilTurn(): Promise<void> {
    this.#nextTurn ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#nextTurn = undefined;
        this.#bytesInTurn = 0;
        resolve();
      });
    });
    await this.#nextTurn;
  }

  /** Takes note of a packet. */
  countSent(bytes: number): void {
    this.#bytesInTurn += bytes;
  }

  /** Returns the place of a drain in the order of all drains. */
  nextDrain(): number {
    return ++this.#drains;
  }

  /** Takes note that a connection holds so many bytes more, or fewer. */
  change(holder: ByteHolder, bytes: number): void {
    this.#bytes += bytes;
    if (holder.heldBytes > 0) this.#holders.add(holder);
    else this.#holders.delete(holder);
    while (this.#bytes > this.#maxBytes && this.#holders.size > 0) {
      const chosen = this.#choose();
      chosen?.drop(chosen === holder);
    }
  }

  #choose(): ByteHolder | undefined {
    const byCaller = Map.groupBy(this.#holders, ({ caller }) => caller);
    let [chosen, most]: [readonly ByteHolder[], number] = [[], 0];
    for (const holders of byCaller.values()) {
      const held = holders.reduce((sum, { heldBytes }) => sum + heldBytes, 0);
      if (held > most) [chosen, most] = [holders, held];
    }
    return chosen.toSorted((one, other) => one.lastDrain - other.lastDrain)[0];
  }
}
