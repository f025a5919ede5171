import { TroupeError } from "@troupe/core";
import { closeInOrder } from "@troupe/core/kit";
import { logWarnings, ServedRuns } from "@troupe/core/transport";
import type { EndingRuns } from "@troupe/core/transport";
import type { Namespace, Server, Socket } from "socket.io";
import { answerRequest, clientEvents } from "./answer-requests.ts";
import type { GatewayParts } from "./answer-requests.ts";
import { AwayClients } from "./away-clients.ts";
import { readGatewayOptions } from "./gateway-options.ts";
import type { GatewayOptions, GatewaySettings, SocketMiddleware } from "./gateway-options.ts";
import { guardConnection } from "./guard-connection.ts";
import { guardSource } from "./guard-source.ts";
import { SendBudget } from "./send-budget.ts";
import { SocketClient } from "./socket-client.ts";

/**
 * A gateway on a namespace of a Socket.IO server, made by {@link createAgentGateway}. Its runs can be given to a shutdown:
 * `shutdown.add(gateway)`.
 */
export class AgentGateway implements EndingRuns {
  readonly #namespace: Namespace;
  readonly #parts: GatewayParts;
  readonly #clients = new Set<SocketClient>();
  readonly #away: AwayClients;
  readonly #budget: SendBudget;
  readonly #stopWarnings: () => void;

  constructor(io: Server, settings: GatewaySettings) {
    const { agents, teams, runs, resumeMs, logger, namespace, authMiddleware } = settings;
    const servedRuns = new ServedRuns({ agents, teams }, { durable: runs, resumeMs, logger });
    this.#parts = { settings, servedRuns };
    this.#namespace = io.of(namespace);
    this.#budget = new SendBudget(settings.maxTotalBufferedBytes);
    this.#away = new AwayClients(io, this.#namespace);
    this.#namespace.use(guardConnection(guardSource(settings), { name: "The cors function of the server", logger }));
    this.#namespace.use((socket, next) => this.#refuseWhileDraining(socket, next));
    if (authMiddleware !== undefined) {
      this.#namespace.use(guardConnection(authenticateAnew(authMiddleware), { name: "authMiddleware", logger }));
    }
    this.#namespace.on("connection", this.#onConnection);
    this.#stopWarnings = logWarnings([...agents.values(), ...teams.values()], logger);
  }

  /** The number of runs that are not over, of those that this process performs for the gateway. */
  get size(): number {
    return this.#parts.servedRuns.size;
  }

  /**
   * Refuses new runs from now on, and closes each connection when its last run is over: its client connects again, to another
   * instance. Resolves when the last run is over.
   */
  async drain(): Promise<void> {
    const drained = this.#parts.servedRuns.drain();
    for (const client of this.#clients) if (client.isIdle) client.close();
    await closeInOrder(
      () => drained,
      () => this.#clients.forEach((client) => client.close()),
    );
  }

  /** Ends all runs that are left. */
  endAll(): void {
    this.#parts.servedRuns.endAll();
  }

  /** Ends the gateway with its runs, and closes the connections of its clients. The Socket.IO server is the host's to close. */
  async close(): Promise<void> {
    const drained = this.drain();
    this.endAll();
    await closeInOrder(
      () => drained,
      () => this.#namespace.off("connection", this.#onConnection),
      () => this.#clients.forEach((client) => client.leave()),
      () => this.#away.close(),
      this.#stopWarnings,
    );
  }

  readonly #onConnection = (socket: Socket): void => {
    const client = this.#away.take(socket) ?? this.#createClient(socket);
    this.#clients.add(client);
    for (const event of clientEvents) {
      socket.on(event, (...sent: unknown[]) => void answerRequest(client, { ...this.#parts, event, sent }));
    }
    socket.on("disconnect", (reason) => this.#onDisconnect(client, reason));
    if (this.#parts.servedRuns.isDraining) client.close();
  };

  #createClient(socket: Socket): SocketClient {
    const { maxRunsPerSocket, maxBufferedBytes, logger } = this.#parts.settings;
    const onIdle = this.#onIdle;
    return new SocketClient(socket, { maxRunsPerSocket, maxBufferedBytes, budget: this.#budget, logger, onIdle });
  }

  #onDisconnect(client: SocketClient, reason: string): void {
    this.#clients.delete(client);
    if (client.isIdle || client.isGone || !this.#away.keep(client, reason)) client.leave();
  }

  readonly #onIdle = (client: SocketClient): void => {
    this.#away.forget(client);
    if (this.#parts.servedRuns.isDraining) client.close();
  };

  #refuseWhileDraining(socket: { readonly conn: { close(): void } }, next: (error?: Error) => void): void {
    if (!this.#parts.servedRuns.isDraining) return next();
    // A refusal would be for good: clients try again by themselves only after a connection has closed.
    socket.conn.close();
    next(new TroupeError("unavailable", "The service is shutting down. Try again in a moment."));
  }
}

/** Socket.IO brings back the data of a connection that had broken off. Who is signed in now is for the middleware alone to say. */
function authenticateAnew(middleware: SocketMiddleware): SocketMiddleware {
  return (socket, next) => {
    if (socket.recovered) delete (socket.data as { principal?: unknown }).principal;
    return middleware(socket, next);
  };
}

/**
 * Serves agents and teams to browsers and apps over a Socket.IO server of the host, on a namespace of its own: clients emit
 * `agent.run` and `team.run`, and receive the text, tool calls and end of each run as events. Pages of other sites are refused
 * unless an option allows them. A wrong option throws `invalid_config`.
 */
export function createAgentGateway(options: GatewayOptions): AgentGateway {
  const settings = readGatewayOptions(options);
  return new AgentGateway(options.io as Server, settings);
}
