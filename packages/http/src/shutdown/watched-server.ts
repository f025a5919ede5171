import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Server as SecureServer } from "node:https";
import { Server as NetServer } from "node:net";
import type { Socket } from "node:net";

/** What answers requests. */
export type ClosableServer = Server | SecureServer;

/** What is known of a connection: how many answers are on their way, and whether there was ever one. */
type Connection = { answering: number; wasUsed: boolean };

/**
 * A server that can close without cutting anything off. Node closes connections as idle whose answer has been written but
 * not yet been read, so here it is kept in mind what each connection is at.
 */
export class WatchedServer {
  readonly #server: ClosableServer;
  readonly #connections = new Map<Socket, Connection>();
  #isClosing = false;

  constructor(server: ClosableServer) {
    this.#server = server;
    server.on("connection", (socket: Socket) => void this.#know(socket));
    // In front of the host's own listener, which may answer at once.
    server.prependListener("request", this.#onRequest);
  }

  /** Takes no more connections, and ends each that is there when nothing is left to be answered on it. Resolves when none is left. */
  async close(): Promise<void> {
    this.#isClosing = true;
    // Not the server's own `close`, which ends connections that it takes for idle. An error says that it was not listening.
    const closed = new Promise<void>((resolve) => void NetServer.prototype.close.call(this.#server, () => resolve()));
    for (const socket of this.#connections.keys()) this.#endIdle(socket);
    await closed;
  }

  /** Ends the connections that are left, whatever they are at. */
  force(): void {
    this.#server.closeAllConnections();
  }

  readonly #onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    const connection = this.#know(socket);
    connection.answering += 1;
    connection.wasUsed = true;
    if (this.#isClosing) response.setHeader("Connection", "close");
    response.once("close", () => {
      connection.answering -= 1;
      if (this.#isClosing) this.#endIdle(socket);
    });
  };

  #know(socket: Socket): Connection {
    const known = this.#connections.get(socket);
    if (known !== undefined) return known;
    const connection = { answering: 0, wasUsed: false };
    this.#connections.set(socket, connection);
    socket.once("close", () => this.#connections.delete(socket));
    return connection;
  }

  /** One that has sent something and asked nothing yet is about to, or is no longer HTTP. */
  #endIdle(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (connection?.answering === 0 && (connection.wasUsed || socket.bytesRead === 0)) socket.destroySoon();
  }
}
