import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { TcpProxy } from "../tcp-proxy.ts";

/** One side of a connection, with all that it received. */
export class Seen {
  readonly socket: Socket;
  /** `FIN`, or the code of the error that ended the connection. `undefined` while it is open. */
  end: string | undefined;
  /** Number of bytes received. */
  size = 0;
  readonly #pieces: Buffer[] = [];

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (piece: Buffer) => {
      this.#pieces.push(piece);
      this.size += piece.length;
    });
    socket.on("end", () => (this.end ??= "FIN"));
    socket.on("error", (error: NodeJS.ErrnoException) => (this.end ??= error.code ?? error.message));
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#pieces);
  }

  get text(): string {
    return this.bytes.toString();
  }
}

/** A server that keeps its connections open and sends nothing by itself. */
export class QuietServer {
  readonly connections: Seen[] = [];
  readonly #server = createServer({ allowHalfOpen: true }, (socket) => this.connections.push(new Seen(socket)));

  async start(): Promise<{ host: string; port: number }> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return { host: "127.0.0.1", port: (this.#server.address() as AddressInfo).port };
  }

  close(): void {
    this.#server.close();
    for (const { socket } of this.connections) socket.destroy();
  }
}

/** Connects to the proxy; the socket may stay half-open. */
export async function connectTo({ host, port }: Pick<TcpProxy, "host" | "port">): Promise<Seen> {
  const seen = new Seen(connect({ host, port, allowHalfOpen: true, noDelay: true }));
  await once(seen.socket, "connect");
  return seen;
}

/** Starts a proxy for a target, which is closed at the end of its block. */
export async function disposable(target: { host: string; port: number }) {
  const own = await TcpProxy.start({ target });
  return { proxy: own, [Symbol.asyncDispose]: async () => await own.close() };
}
