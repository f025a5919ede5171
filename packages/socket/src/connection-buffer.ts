import type { Socket } from "socket.io";

/** The connection below a socket, of Engine.IO. Sockets of several namespaces may share one. */
export type Connection = Socket["conn"];

/** Options of a {@link ConnectionBuffer}. */
export type BufferOptions = {
  /** The number of bytes beside the largest packet that may wait for the client. */
  readonly maxBytes: number;
  /** Called once, when more bytes wait than that, or when the client has read nothing for too long. */
  readonly onOverflow: (bytes: number) => void;
};

/** The number of waiting bytes from which runs wait for the client. */
const highWaterBytes = 65_536;

/** Milliseconds for which a client that runs wait for may read nothing. */
const stallMs = 30_000;

/**
 * The bytes that wait on a connection until its client reads. Engine.IO takes any number of packets: it hands them to the
 * transport when all before them have gone out, and until then they are in memory.
 */
export class ConnectionBuffer {
  readonly #connection: Connection;
  readonly #options: BufferOptions;
  #bytes = 0;
  #largest = 0;
  #isReleased = false;
  #drained: PromiseWithResolvers<void> | undefined;
  #stallTimer: NodeJS.Timeout | undefined;

  constructor(connection: Connection, options: BufferOptions) {
    this.#connection = connection;
    this.#options = options;
    connection.on("packetCreate", this.#onPacket);
    connection.on("flush", this.#onFlush);
    connection.on("close", this.release);
  }

  /** True if the client reads as fast as it is sent to. */
  get hasRoom(): boolean {
    return this.#bytes <= highWaterBytes || this.#isReleased;
  }

  /** Resolves when the client has read what waits for it, or has disconnected. */
  async untilRoom(): Promise<void> {
    while (!this.hasRoom) {
      this.#drained ??= this.#awaitDrain();
      await this.#drained.promise;
    }
  }

  /** Ends the watch of the connection, and every wait. */
  readonly release = (): void => {
    this.#isReleased = true;
    this.#connection.off("packetCreate", this.#onPacket);
    this.#connection.off("flush", this.#onFlush);
    this.#connection.off("close", this.release);
    this.#endWait();
  };

  #awaitDrain(): PromiseWithResolvers<void> {
    let left = bytesInTransport(this.#connection);
    this.#stallTimer = setInterval(() => {
      const before = left;
      left = bytesInTransport(this.#connection);
      if (left === 0 || left >= before) this.#overflow();
    }, stallMs).unref();
    return Promise.withResolvers();
  }

  readonly #onPacket = ({ data }: { readonly data?: unknown }): void => {
    const size = typeof data === "string" || data instanceof Uint8Array ? Buffer.byteLength(data) : 0;
    this.#bytes += size;
    if (size > this.#largest) this.#largest = size;
    if (this.#bytes - this.#largest > this.#options.maxBytes) this.#overflow();
  };

  readonly #onFlush = (): void => {
    this.#bytes = 0;
    this.#largest = 0;
    if (this.#drained !== undefined) this.#endWait();
  };

  #endWait(): void {
    clearInterval(this.#stallTimer);
    this.#drained?.resolve();
    this.#drained = undefined;
  }

  #overflow(): void {
    const bytes = this.#bytes;
    this.release();
    // Not within the call that sends the packet.
    process.nextTick(this.#options.onOverflow, bytes);
  }
}

/** Ends a connection at once, with all that waits on it. A WebSocket would wait half a minute for its client to close it too. */
export function breakConnection(connection: Connection): void {
  const { socket } = connection.transport as { readonly socket?: { terminate?(): void } };
  connection.close(true);
  socket?.terminate?.();
}

/** Returns the number of bytes that a WebSocket still has to send, of the last packets that it was handed. */
function bytesInTransport({ transport }: Connection): number {
  const { socket } = transport as { readonly socket?: { readonly bufferedAmount?: unknown } };
  return typeof socket?.bufferedAmount === "number" ? socket.bufferedAmount : 0;
}
