import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Server as SecureServer } from "node:https";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** An HTTP or HTTPS server of Node that a shutdown can close. */
export type ClosableServer = Server | SecureServer;

/** The state of a connection that shows if it is idle. */
type Connection = {
  /** The number of answers in progress on the connection. */
  answering: number;
  /**
   * The bytes read from the connection when its last exchange was over. Any further byte belongs to the next request.
   */
  readBytes: number;
  /** The number of consecutive checks that found the connection idle. */
  idleLooks: number;
};

/**
 * Milliseconds between two checks of the connections. Idleness is counted in checks instead of milliseconds, because
 * time also passes while a busy process reads nothing.
 */
const lookMs = 50;
/**
 * The number of checks after which an idle connection may be closed: an active client would have sent its next request.
 */
const restingLooks = 20;
/** Milliseconds between two checks for new connections and requests, before the listener is closed. */
const arrivalMs = 10;
/** The number of consecutive checks without a new connection or request after which the listener may be closed. */
const quietLooks = 5;
/** The number of checks after which the listener is closed even if requests still arrive. */
const mostLooks = 50;

/**
 * An HTTP server that a shutdown can close without cutting off requests or answers. It tracks each connection itself:
 * Node's own `close` also ends connections whose answer is not read yet, or whose next request is on its way.
 */
export class WatchedServer {
  readonly #server: ClosableServer;
  readonly #connections = new Map<Socket, Connection>();
  /** The raw connections below TLS connections. A raw connection that has sent nothing has no TLS connection yet. */
  readonly #unsecured = new Set<Socket>();
  /** The number of connections that have arrived, and of requests that were withheld. */
  #arrivals = 0;
  #isClosing = false;
  /** Resolves when the listener and all connections are closed. */
  readonly #closed = Promise.withResolvers<void>();
  #isClosed = false;
  #isForced = false;

  constructor(server: ClosableServer) {
    this.#server = server;
    // `node:tls` is not imported for its class: reading its list of root certificates would slow the start of every server.
    const isSecure = "setSecureContext" in server;
    server.on("connection", (socket: Socket) => {
      this.#arrivals += 1;
      if (isSecure) this.#unsecured.add(socket.once("close", () => this.#unsecured.delete(socket)));
      else this.#track(socket);
    });
    if (isSecure) server.on("secureConnection", (socket: Socket) => void this.#track(socket));
    // The listener is prepended, because the host's own listener may answer at once.
    server.prependListener("request", this.#onRequest);
  }

  /**
   * Closes the server. From now on, asks clients to close their connections after each answer. Accepts new connections
   * for `drainMs`, or until no connection carries a request, and closes each connection once it is idle. Resolves when
   * all are closed.
   */
  async close(drainMs: number): Promise<void> {
    this.#isClosing = true;
    await this.#drain(drainMs);
    await this.#closeListener();
    while (!this.#isClosed && !this.#isForced) {
      for (const [socket, { idleLooks }] of this.#connections) if (idleLooks >= restingLooks) socket.destroySoon();
      for (const socket of this.#unsecured) if (socket.bytesRead === 0) socket.destroy();
      await Promise.race([this.#look(), this.#closed.promise]);
    }
  }

  /** Closes all remaining connections of the server, so that `close` resolves. */
  force(): void {
    this.#isForced = true;
    this.#server.closeAllConnections();
  }

  async #drain(drainMs: number): Promise<void> {
    const end = performance.now() + drainMs;
    while (performance.now() < end && !this.#isForced) {
      await this.#look(end - performance.now());
      if ([...this.#connections.values()].every(({ idleLooks }) => idleLooks >= restingLooks)) return;
    }
  }

  /** Waits a moment in which Node reads incoming data, and counts for how long each connection has been idle. */
  async #look(mostMs = lookMs): Promise<void> {
    await sleep(Math.min(lookMs, mostMs), undefined, { ref: false });
    for (const [socket, connection] of this.#connections) {
      const isIdle = connection.answering === 0 && connection.readBytes === socket.bytesRead;
      connection.idleLooks = isIdle ? connection.idleLooks + 1 : 0;
    }
  }

  /**
   * Closes the listener. The operating system resets connections that wait to be accepted at that moment, so requests
   * are first withheld from the host: clients that wait for an answer open no new connections. The listener is closed
   * when no connection has arrived for a moment, or after half a second.
   */
  async #closeListener(): Promise<void> {
    const release = this.#holdRequests();
    for (let quiet = 0, looks = 0; quiet < quietLooks && looks < mostLooks && !this.#isForced; looks++) {
      const before = this.#arrivals;
      await sleep(arrivalMs, undefined, { ref: false });
      quiet = this.#arrivals === before ? quiet + 1 : 0;
    }
    // Calls `close` of the TCP server. The `close` method of the HTTP server would also end connections that it
    // considers idle. An error means that the server was not listening.
    process.getBuiltinModule("node:net").Server.prototype.close.call(this.#server, () => {
      this.#isClosed = true;
      this.#closed.resolve();
    });
    release();
  }

  /** Withholds requests from the host's listeners until the returned function is called. */
  #holdRequests(): () => void {
    const server = this.#server;
    const held: Parameters<RequestListener>[] = [];
    const listeners = server.rawListeners("request") as RequestListener[];
    const hold: RequestListener = (request, response) => {
      this.#arrivals += 1;
      held.push([request, response]);
    };
    for (const listener of listeners) server.off("request", listener);
    server.on("request", hold);
    return () => {
      server.off("request", hold);
      for (const listener of listeners) server.on("request", listener);
      for (const [request, response] of held) server.emit("request", request, response);
    };
  }

  readonly #onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    usePath(request);
    const { socket } = request;
    const connection = this.#track(socket);
    connection.answering += 1;
    if (this.#isClosing) response.setHeader("Connection", "close");
    response.once("close", () => {
      connection.answering -= 1;
      connection.readBytes = socket.bytesRead;
      // The rest of the request's body does not count as a new request.
      if (!request.complete) request.once("close", () => (connection.readBytes = socket.bytesRead));
    });
  };

  #track(socket: Socket): Connection {
    const known = this.#connections.get(socket);
    if (known !== undefined) return known;
    const connection = { answering: 0, readBytes: socket.bytesRead, idleLooks: 0 };
    this.#connections.set(socket, connection);
    socket.once("close", () => this.#connections.delete(socket));
    return connection;
  }
}

/**
 * Replaces an absolute request target by its path, and the header `Host` by the target's host, which has precedence.
 * Express would parse the target with a deprecated function of Node that prints warnings for broken hosts.
 */
function usePath(request: IncomingMessage): void {
  const { url = "/" } = request;
  if (url.startsWith("/")) return;
  const [, host, path = ""] = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)(.*)$/i.exec(url) ?? [];
  if (host === undefined) return;
  request.headers.host = host;
  request.url = path.startsWith("/") ? path : `/${path}`;
}
