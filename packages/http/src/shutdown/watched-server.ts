import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Server as SecureServer } from "node:https";
import { Server as NetServer } from "node:net";
import type { Socket } from "node:net";

/** An HTTP or HTTPS server of Node, as a shutdown can close it. */
export type ClosableServer = Server | SecureServer;

/** The state of a connection: the answers that it still carries, and whether it ever carried one. */
type Connection = { answering: number; wasUsed: boolean };

/**
 * An HTTP server that a shutdown can close without cutting off answers. It tracks each connection itself: Node's own
 * `close` ends connections as idle whose answer has been written but not yet read.
 */
export class WatchedServer {
  readonly #server: ClosableServer;
  readonly #connections = new Map<Socket, Connection>();
  #isClosing = false;

  constructor(server: ClosableServer) {
    this.#server = server;
    server.on("connection", (socket: Socket) => void this.#track(socket));
    // Before the host's own listener, which may answer at once.
    server.prependListener("request", this.#onRequest);
  }

  /** Takes no more connections, and ends each one when its last answer is sent. Resolves when none is left. */
  async close(): Promise<void> {
    this.#isClosing = true;
    // Not the HTTP server's `close`, which ends connections that it takes for idle. An error says that it was not listening.
    const closed = new Promise<void>((resolve) => void NetServer.prototype.close.call(this.#server, () => resolve()));
    for (const socket of this.#connections.keys()) this.#endIdle(socket);
    await closed;
  }

  /** Ends all connections that are left. */
  force(): void {
    this.#server.closeAllConnections();
  }

  readonly #onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    usePath(request);
    const { socket } = request;
    const connection = this.#track(socket);
    connection.answering += 1;
    connection.wasUsed = true;
    if (this.#isClosing) response.setHeader("Connection", "close");
    response.once("close", () => {
      connection.answering -= 1;
      if (this.#isClosing) this.#endIdle(socket);
    });
  };

  #track(socket: Socket): Connection {
    const known = this.#connections.get(socket);
    if (known !== undefined) return known;
    const connection = { answering: 0, wasUsed: false };
    this.#connections.set(socket, connection);
    socket.once("close", () => this.#connections.delete(socket));
    return connection;
  }

  /** Spares a connection that has sent bytes but no whole request yet: a request is coming, or it is no longer HTTP. */
  #endIdle(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (connection?.answering === 0 && (connection.wasUsed || socket.bytesRead === 0)) socket.destroySoon();
  }
}

/**
 * Gives a request with a target in absolute form its path alone, and the host of the target, which counts before the header. Express
 * would parse it by a function of Node that is deprecated and warns of broken hosts.
 */
function usePath(request: IncomingMessage): void {
  const { url = "/" } = request;
  if (url.startsWith("/")) return;
  const [, host, path = ""] = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)(.*)$/i.exec(url) ?? [];
  if (host === undefined) return;
  request.headers.host = host;
  request.url = path.startsWith("/") ? path : `/${path}`;
}
