import type { CallerKey } from "@troupe/core/transport";
import type { Socket } from "socket.io";
import type { ByteHolder, SendBudget } from "./send-budget.ts";

/** The Engine.IO connection below a socket. Sockets of several namespaces may share it. */
export type Connection = Socket["conn"];

/** The reason for dropping a client: its own limit, a long time without reading, or the limit of all clients. */
export type DropReason = "maxBufferedBytes" | "stalled" | "maxTotalBufferedBytes";

/** Options of a {@link ConnectionBuffer}. */
export type BufferOptions = {
  /** Bytes that may wait for the client, in addition to the largest packet. */
  readonly maxBytes: number;
  /** The limit of the bytes that may be held for all clients together. */
  readonly budget: SendBudget;
  /** Returns the caller for whom the client's bytes are counted. The caller may change when another user signs in. */
  readonly callerOf: () => CallerKey;
  /** Called once, when more bytes are held than allowed or the client has not read for too long. */
  readonly onOverflow: (bytes: number, reason: DropReason) => void;
};

/** Held bytes of a client beyond which its runs wait for it to read. */
const highWaterBytes = 65_536;

/**
 * Milliseconds between two checks of a client with held bytes. A client that has read nothing in between is dropped.
 */
const stallMs = 30_000;

/**
 * The bytes that a connection holds until its client reads: waiting packets, which Engine.IO accepts without limit,
 * packets that the transport has not sent yet, and events of runs that wait for room.
 */
export class ConnectionBuffer implements ByteHolder {
  readonly #connection: Connection;
  readonly #options: BufferOptions;
  #waiting = 0;
  #sending = 0;
  #announced = 0;
  #largest = 0;
  #lastDrain: number;
  /** The caller whose share includes the held bytes. */
  #counted: CallerKey | undefined;
  #isReleased = false;
  #drained: PromiseWithResolvers<void> | undefined;
  #stallTimer: NodeJS.Timeout | undefined;

  constructor(connection: Connection, options: BufferOptions) {
    this.#connection = connection;
    this.#options = options;
    this.#lastDrain = options.budget.nextDrain();
    connection.on("packetCreate", this.#onPacket);
    connection.on("flush", this.#onFlush);
    connection.on("close", this.release);
  }

  get caller(): CallerKey {
    return (this.heldBytes > 0 ? this.#counted : undefined) ?? this.#options.callerOf();
  }

  get heldBytes(): number {
    return this.#waiting + this.#sending;
  }

  get leftBytes(): number {
    return bytesInTransport(this.#connection);
  }

  get lastDrain(): number {
    return this.#lastDrain;
  }

  /** True if the client keeps up with reading and the budget of all clients has room; also true after `release`. */
  get hasRoom(): boolean {
    return this.#isReleased || (!this.#isBehind && this.#options.budget.hasRoom(this.caller));
  }

  get #isBehind(): boolean {
    return !this.#isReleased && this.#waiting + this.#sending > highWaterBytes;
  }

  /**
   * Resolves when there may be room: the client has read or disconnected, or the budget of all clients may have room.
   * `measure` returns the bytes of the pending event, which count as held if the client is slow.
   */
  async untilRoom(measure: () => number): Promise<void> {
    if (this.hasRoom) return;
    if (!this.#isBehind) return await this.#options.budget.untilRoom(this.caller);
    const bytes = measure();
    this.#announced += bytes;
    this.#stallTimer ??= this.#watchForStall();
    try {
      while (this.#isBehind) {
        this.#drained ??= Promise.withResolvers();
        await this.#drained.promise;
      }
    } finally {
      if (!this.#isReleased) this.#announced -= bytes;
    }
  }

  /** Stops watching the connection, and ends every wait for room. */
  readonly release = (): void => {
    if (this.#isReleased) return;
    const held = this.heldBytes;
    this.#isReleased = true;
    this.#waiting = this.#sending = this.#announced = 0;
    if (held > 0) this.#options.budget.change(this, -held, this.#counted);
    this.#connection.off("packetCreate", this.#onPacket);
    this.#connection.off("flush", this.#onFlush);
    this.#connection.off("close", this.release);
    clearInterval(this.#stallTimer);
    this.#wake();
  };

  drop(isSending: boolean): void {
    this.#overflow("maxTotalBufferedBytes", isSending);
  }

  readonly #onPacket = ({ data }: { readonly data?: unknown }): void => {
    const size = typeof data === "string" || data instanceof Uint8Array ? Buffer.byteLength(data) : 0;
    if (size > this.#largest) this.#largest = size;
    this.#options.budget.countSent(size);
    this.#hold("waiting", size);
    if (this.#waiting + this.#sending - this.#largest > this.#options.maxBytes) this.#overflow("maxBufferedBytes");
  };

  /** Counts the bytes of a batch as being sent: they stay in memory until the operating system has accepted them. */
  readonly #onFlush = (): void => {
    const bytes = this.#waiting;
    this.#waiting = 0;
    this.#sending += bytes;
    let isOut = false;
    onceSent(this.#connection, () => {
      if (isOut || this.#isReleased) return;
      isOut = true;
      this.#lastDrain = this.#options.budget.nextDrain();
      this.#hold("sending", -bytes);
      if (this.#waiting + this.#sending === 0) this.#largest = 0;
      if (!this.#isBehind) this.#wake();
    });
  };

  #hold(kind: "waiting" | "sending", bytes: number): void {
    if (this.#isReleased || bytes === 0) return;
    // Held bytes belong to one caller until they are gone, even if another user signs in before.
    if (this.heldBytes === 0) this.#counted = this.caller;
    if (kind === "waiting") this.#waiting += bytes;
    else this.#sending += bytes;
    this.#stallTimer ??= this.#watchForStall();
    this.#options.budget.change(this, bytes, this.#counted);
  }

  /**
   * Watches the client until no bytes are held for it. One timer serves many packets, because most packets are read at
   * once.
   */
  #watchForStall(): NodeJS.Timeout {
    let before = { drain: this.#lastDrain, left: Infinity };
    const timer = setInterval(() => {
      const now = { drain: this.#lastDrain, left: bytesInTransport(this.#connection) };
      if (this.heldBytes + this.#announced === 0) {
        clearInterval(timer);
        this.#stallTimer = undefined;
      } else if (now.drain === before.drain && (now.left === 0 || now.left >= before.left)) {
        this.#overflow("stalled");
      }
      before = now;
    }, stallMs);
    return timer.unref();
  }

  #wake(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }

  #overflow(reason: DropReason, isSending = true): void {
    if (this.#isReleased) return;
    const bytes = this.heldBytes + this.#announced;
    this.release();
    // A client to which a packet is being sent is dropped only after that call. Any other client is dropped in the next
    // tick, which comes after all output of the runs.
    if (isSending) process.nextTick(this.#options.onOverflow, bytes, reason);
    else this.#options.onOverflow(bytes, reason);
  }
}

/**
 * Closes a connection at once, with its waiting packets. A WebSocket would wait half a minute for its client to close
 * it too.
 */
export function breakConnection(connection: Connection): void {
  const { socket } = connection.transport as { readonly socket?: { terminate?(): void } };
  connection.close(true);
  socket?.terminate?.();
}

type Emitter = { once(event: string, listener: () => void): unknown };

/** Calls a function once the operating system has taken the packets that a connection is handing to its transport. */
function onceSent({ transport }: Connection, onSent: () => void): void {
  const { res } = transport as { readonly res?: Emitter | null };
  // The polling transport counts packets as sent when they are written to a response, even if the client never reads
  // it.
  if (res === undefined || res === null) (transport as Emitter).once("drain", onSent);
  else res.once("finish", onSent);
}

/**
 * Returns a number that decreases while a WebSocket's packets are sent; 0 for other transports. The library counts a
 * large packet as unsent until its last byte is sent, so the bytes in the operating system's queue are added.
 */
function bytesInTransport({ transport }: Connection): number {
  const { socket } = transport as {
    readonly socket?: {
      readonly bufferedAmount?: unknown;
      readonly _socket?: { readonly _handle?: { readonly writeQueueSize?: unknown } | null };
    };
  };
  const { bufferedAmount, _socket } = socket ?? {};
  const { writeQueueSize: queued } = _socket?.["_handle"] ?? {};
  return (typeof bufferedAmount === "number" ? bufferedAmount : 0) + (typeof queued === "number" ? queued : 0);
}
