import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Server as SecureServer } from "node:https";
import { Server as NetServer } from "node:net";
import type { Socket } from "node:net";
import { Server as TlsServer } from "node:tls";
import { setTimeout as sleep } from "node:timers/promises";

/** An HTTP or HTTPS server of Node, as a shutdown can close it. */
export type ClosableServer = Server | SecureServer;

/** The state of a connection, by which it is known to be idle. */
type Connection = {
  /** The answers that it still carries. */
  answering: number;
  /** The bytes that had been read when the last exchange was over. More of them are the next request. */
  readBytes: number;
  /** The looks in a row at which it was idle. */
  idleLooks: number;
};

/** Milliseconds between two looks at the connections. Looks are counted and not time, which passes while a busy process reads nothing. */
const lookMs = 50;
/** Looks after which an idle connection may be closed: a client that used it would have sent its next request. */
const restingLooks = 20;
/** Milliseconds between two looks at the arrivals, before the listener is closed. */
const arrivalMs = 10;
/** Looks in a row without an arrival after which the listener may be closed. */
const quietLooks = 5;
/** Looks after which the listener is closed, however many still come. */
const mostLooks = 50;

/**
 * An HTTP server that a shutdown can close without cutting off requests or answers. It tracks each connection itself: Node's
 * own `close` ends connections as idle whose answer has been written but not yet read, or whose next request is on its way.
 */
export class WatchedServer {
  readonly #server: ClosableServer;
  readonly #connections = new Map<Socket, Connection>();
  /** The connections below those of TLS. Those that have sent nothing carry none yet. */
  readonly #unsecured = new Set<Socket>();
  /** The connections and requests that have come. */
  #arrivals = 0;
  #isClosing = false;
  /** True when neither the listener nor a connection is left. */
  #isClosed = false;
  #isForced = false;

  constructor(server: ClosableServer) {
    this.#server = server;
    const isSecure = server instanceof TlsServer;
    server.on("connection", (socket: Socket) => {
      this.#arrivals += 1;
      if (isSecure) this.#unsecured.add(socket.once("close", () => this.#unsecured.delete(socket)));
      else this.#track(socket);
    });
    if (isSecure) server.on("secureConnection", (socket: Socket) => void this.#track(socket));
    // Before the host's own listener, which may answer at once.
    server.prependListener("request", this.#onRequest);
  }

  /**
   * Asks clients to close their connections with each answer from now on. Takes new connections for `drainMs`, or until none
   * carries a request, and ends each one when it is idle. Resolves when none is left.
   */
  async close(drainMs: number): Promise<void> {
    this.#isClosing = true;
    await this.#drain(drainMs);
    await this.#closeListener();
    while (!this.#isClosed && !this.#isForced) {
      for (const [socket, { idleLooks }] of this.#connections) if (idleLooks >= restingLooks) socket.destroySoon();
      for (const socket of this.#unsecured) if (socket.bytesRead === 0) socket.destroy();
      await this.#look();
    }
  }

  /** Ends all connections that are left. */
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

  /** Waits a moment, in which Node reads what has come, and counts how long each connection has been idle. */
  async #look(mostMs = lookMs): Promise<void> {
    await sleep(Math.min(lookMs, mostMs), undefined, { ref: false });
    for (const [socket, connection] of this.#connections) {
      const isIdle = connection.answering === 0 && connection.readBytes === socket.bytesRead;
      connection.idleLooks = isIdle ? connection.idleLooks + 1 : 0;
    }
  }

  /**
   * Closes the listener. The system resets connections that wait to be accepted at that moment. So requests are held first:
   * clients that wait for their answers open no new connections, and the listener is closed when none has come for a moment.
   */
  async #closeListener(): Promise<void> {
    const release = this.#holdRequests();
    for (let quiet = 0, looks = 0; quiet < quietLooks && looks < mostLooks && !this.#isForced; looks++) {
      const before = this.#arrivals;
      await sleep(arrivalMs, undefined, { ref: false });
      quiet = this.#arrivals === before ? quiet + 1 : 0;
    }
    // Not the HTTP server's `close`, which ends connections that it takes for idle. An error says that it was not listening.
    NetServer.prototype.close.call(this.#server, () => (this.#isClosed = true));
    release();
  }

  /** Keeps requests from the host's listeners until the returned function is called. */
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
      // What is left of its body is no request.
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
