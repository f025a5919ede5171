import type { Namespace, Server, ServerOptions, Socket } from "socket.io";
import type { SocketClient } from "./socket-client.ts";

/** The reasons for which a connection breaks that a client may come back from, where the host has switched on the recovery. */
const recoverable: ReadonlySet<string> = new Set([
  "transport error",
  "transport close",
  "forced close",
  "ping timeout",
]);

/** Milliseconds by which a client is given up later than Socket.IO does: it is not to come back to runs that have ended. */
const slackMs = 100;

type Away = { readonly client: SocketClient; timer: NodeJS.Timeout };

/**
 * The clients whose connection broke off a short while ago and that may come back, by Socket.IO's connection state recovery. Their
 * runs go on meanwhile, and Socket.IO keeps the events.
 */
export class AwayClients {
  readonly #namespace: Namespace;
  /** Milliseconds for which a client may be away; undefined without the recovery. */
  readonly #mostMs: number | undefined;
  readonly #away = new Map<string, Away>();

  constructor(io: Server, namespace: Namespace) {
    const { opts } = io as unknown as { readonly opts?: Partial<ServerOptions> };
    this.#mostMs = opts?.connectionStateRecovery?.maxDisconnectionDuration;
    this.#namespace = namespace;
  }

  /** Keeps a client whose connection has broken off. Returns false for one that cannot come back. */
  keep(client: SocketClient, reason: string): boolean {
    const { id } = client.socket;
    if (this.#mostMs === undefined || !recoverable.has(reason)) return false;
    this.#away.set(id, { client, timer: this.#startTimer(id, this.#mostMs) });
    return true;
  }

  /** Returns the client that is back with this socket, undefined for a new one. */
  take(socket: Socket): SocketClient | undefined {
    const away = socket.recovered ? this.#away.get(socket.id) : undefined;
    if (away === undefined) return undefined;
    this.#remove(socket.id, away);
    away.client.resume(socket);
    return away.client;
  }

  /** Stops waiting for a client that has no run left. */
  forget(client: SocketClient): void {
    const { id } = client.socket;
    const away = this.#away.get(id);
    if (away?.client === client) this.#remove(id, away);
  }

  /** Ends the runs of the clients that are away. */
  close(): void {
    for (const [id, away] of this.#away) {
      this.#remove(id, away);
      away.client.leave();
    }
  }

  #startTimer(id: string, mostMs: number): NodeJS.Timeout {
    return setTimeout(() => void this.#giveUp(id, mostMs), mostMs + slackMs).unref();
  }

  /** Ends the runs of a client that did not come back, here or at another node. One that is at another node is looked for again. */
  async #giveUp(id: string, mostMs: number): Promise<void> {
    const away = this.#away.get(id);
    if (away === undefined) return;
    const isElsewhere = await this.#isElsewhere(id);
    if (this.#away.get(id) !== away) return;
    if (isElsewhere) {
      away.timer = this.#startTimer(id, mostMs);
      return;
    }
    this.#remove(id, away);
    away.client.leave();
  }

  async #isElsewhere(id: string): Promise<boolean> {
    try {
      return (await this.#namespace.in(id).fetchSockets()).length > 0;
    } catch {
      // A node did not answer in time.
      return false;
    }
  }

  #remove(id: string, { timer }: Away): void {
    clearTimeout(timer);
    this.#away.delete(id);
  }
}
