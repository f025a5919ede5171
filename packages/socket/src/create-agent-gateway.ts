import { TroupeError } from "@troupe/core";
import { toTroupeError } from "@troupe/core/kit";
import type { Service } from "@troupe/core/transport";
import type { Namespace, Server, Socket } from "socket.io";
import { answerRequest, clientEvents } from "./answer-requests.ts";
import { AwayClients } from "./away-clients.ts";
import { toClientError } from "./events.ts";
import { readGatewayOptions } from "./gateway-options.ts";
import type { GatewayOptions, GatewaySettings } from "./gateway-options.ts";
import { guardConnection } from "./guard-connection.ts";
import { guardSource } from "./guard-source.ts";
import { SendBudget } from "./send-budget.ts";
import { authenticateAnew, forgetRecovered, signIn } from "./sign-in.ts";
import { SocketClient } from "./socket-client.ts";

/** A gateway on a namespace of a Socket.IO server, made by {@link createAgentGateway}. It ends with its service. */
export class AgentGateway {
  /** The service whose agents and teams are run: to close it, or to serve it in further protocols. */
  readonly service: Service;
  readonly #settings: GatewaySettings;
  readonly #namespace: Namespace;
  readonly #clients = new Set<SocketClient>();
  readonly #away: AwayClients;
  readonly #budget: SendBudget;
  /** The sockets for which `authenticate` was called. */
  readonly #signedIn = new WeakSet<Socket>();
  /** Resolved while the service ends, once all clients have received the end of their runs. */
  #drained: PromiseWithResolvers<void> | undefined;
  #isClosed = false;

  constructor(io: Server, settings: GatewaySettings) {
    const { service, namespace } = settings;
    this.service = service;
    this.#settings = settings;
    this.#namespace = io.of(namespace);
    this.#budget = new SendBudget(settings.maxTotalBufferedBytes);
    this.#away = new AwayClients(io, this.#namespace);
    this.#useMiddlewares();
    this.#namespace.on("connection", this.#onConnection);
    // `size` is 0, because the service itself counts the runs of the gateway.
    service.add({ size: 0, drain: async () => await this.#drain(), endAll: () => this.#sendRest() });
    void service.closed.then(() => this.#leave());
    service.open().catch((error: unknown) => {
      service.logger.error("The durable runs of the service cannot be performed in this process.", { error });
    });
  }

  /**
   * Ends the gateway, and closes its clients' connections: their runs end as for clients that disconnect. Also ends a
   * service that the gateway has made, with its runs. The host closes the Socket.IO server.
   */
  async close(): Promise<void> {
    if (this.#settings.ownsService) await this.service.close({ graceMs: 0 });
    this.#leave();
  }

  #useMiddlewares(): void {
    const { authMiddleware } = this.#settings;
    const { guard, logger, settings } = this.service;
    this.#namespace.use(guardConnection(guardSource(guard), { name: "The cors function of the server", logger }));
    this.#namespace.use((socket, next) => this.#refuseWhileEnding(socket, next));
    if (authMiddleware !== undefined) {
      this.#namespace.use(guardConnection(authenticateAnew(authMiddleware), { name: "authMiddleware", logger }));
    }
    if (settings.authenticate === undefined) return;
    const authenticate = async (socket: Socket, next: () => void): Promise<void> => {
      if (authMiddleware === undefined) forgetRecovered(socket);
      await signIn(socket, this.service);
      this.#signedIn.add(socket);
      next();
    };
    this.#namespace.use(guardConnection(authenticate, { name: "authenticate", logger }));
  }

  readonly #onConnection = (socket: Socket): void => {
    const mustAsk = this.service.settings.authenticate !== undefined && !this.#signedIn.has(socket);
    if (mustAsk) void this.#enterAnew(socket);
    else this.#enter(socket);
  };

  /**
   * Signs in the user of a recovered socket, because by default Socket.IO calls no middleware for it. The requests of
   * the socket wait until its user is signed in. A refused client is disconnected, and its runs end.
   */
  async #enterAnew(socket: Socket): Promise<void> {
    const early: unknown[][] = [];
    const hold = (...packet: unknown[]): void => void early.push(packet);
    socket.onAny(hold);
    try {
      if (this.#settings.authMiddleware === undefined) forgetRecovered(socket);
      await signIn(socket, this.service);
    } catch (thrown) {
      return this.#refuseRecovered(socket, thrown);
    }
    socket.offAny(hold);
    if (!socket.connected) return;
    const client = this.#enter(socket);
    for (const [name, ...sent] of early) {
      const event = clientEvents.find((each) => each === name);
      if (event !== undefined) void answerRequest(client, { service: this.service, event, sent });
    }
  }

  #refuseRecovered(socket: Socket, thrown: unknown): void {
    if (!TroupeError.is(thrown)) this.service.logger.error("authenticate failed.", { error: thrown });
    this.#away.take(socket)?.leave();
    socket.emit("agent.error", toClientError(toTroupeError(thrown)));
    socket.disconnect();
  }

  #enter(socket: Socket): SocketClient {
    const { service } = this;
    const client = this.#away.take(socket) ?? this.#createClient(socket);
    this.#clients.add(client);
    for (const event of clientEvents) {
      socket.on(event, (...sent: unknown[]) => void answerRequest(client, { service, event, sent }));
    }
    socket.on("disconnect", (reason) => this.#onDisconnect(client, reason));
    if (this.#isEnding) client.close();
    return client;
  }

  #createClient(socket: Socket): SocketClient {
    const { maxRunsPerSocket, maxBufferedBytes } = this.#settings;
    const { logger } = this.service;
    const onFree = this.#onFree;
    return new SocketClient(socket, { maxRunsPerSocket, maxBufferedBytes, budget: this.#budget, logger, onFree });
  }

  #onDisconnect(client: SocketClient, reason: string): void {
    this.#clients.delete(client);
    if (client.isIdle || client.isGone || !this.#away.keep(client, reason)) client.leave();
    this.#noteSent();
  }

  readonly #onFree = (client: SocketClient): void => {
    if (client.isIdle) {
      this.#away.forget(client);
      if (this.#isEnding) client.close();
    }
    this.#noteSent();
  };

  get #isEnding(): boolean {
    return this.#isClosed || this.service.servedRuns.isDraining;
  }

  #refuseWhileEnding(socket: { readonly conn: { close(): void } }, next: (error?: Error) => void): void {
    if (!this.#isEnding) return next();
    // Closes the connection instead of refusing it: clients reconnect automatically only after a connection has closed.
    socket.conn.close();
    next(new TroupeError("unavailable", "The service is shutting down. Try again in a moment."));
  }

  /**
   * Closes each connection when its last run is over, so that its client connects to another instance. Resolves once
   * all clients have received the end of their runs.
   */
  async #drain(): Promise<void> {
    for (const client of this.#clients) if (client.isIdle) client.close();
    this.#drained = Promise.withResolvers();
    this.#noteSent();
    await this.#drained.promise;
  }

  #noteSent(): void {
    if (this.#drained === undefined) return;
    for (const { isFollowing } of this.#clients) if (isFollowing) return;
    this.#drained.resolve();
  }

  /** Sends the remaining events of ended runs without waiting for clients to read. */
  #sendRest(): void {
    for (const client of this.#clients) client.sendRest();
  }

  #leave(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#namespace.off("connection", this.#onConnection);
    for (const client of this.#clients) {
      client.leave();
      client.close();
    }
    this.#away.close();
  }
}

/**
 * Serves the agents and teams of a service to browsers and apps over the host's Socket.IO server, in a namespace of its
 * own. Clients emit `agent.run` and `team.run`, and receive the text, tool calls and end of each run as events. Refuses
 * pages of other sites unless an option allows them. Throws `invalid_config` for a wrong option.
 */
export function createAgentGateway(options: GatewayOptions): AgentGateway {
  const settings = readGatewayOptions(options);
  return new AgentGateway(options.io as Server, settings);
}
