import type { Namespace, Server, ServerOptions, Socket } from "socket.io";
import type { SocketClient } from "./socket-client.ts";

/** Disconnect reasons after which a client may return, if the host has enabled connection state recovery. */
const recoverable: ReadonlySet<string> = new Set([
  "transport error",
  "transport close",
  "forced close",
  "ping timeout",
]);

/**
 * Milliseconds by which this gateway waits longer for a client than Socket.IO does, so that no client returns to runs
 * that have ended.
 */
const slackMs = 100;

type Away = { readonly client: SocketClient; timer: NodeJS.Timeout };

/**
 * Clients whose connection broke a short while ago, and that may return through Socket.IO's connection state recovery.
 * Their runs continue meanwhile, and Socket.IO stores the events.
 */
export class AwayClients {
  readonly #namespace: Namespace;
  /** Milliseconds for which a client may be away. Undefined without connection state recovery. */
  readonly #mostMs: number | undefined;
  readonly #away = new Map<string, Away>();

  constructor(io: Server, namespace: Namespace) {
    const { opts } = io as unknown as { readonly opts?: Partial<ServerOptions> };
    this.#mostMs = opts?.connectionStateRecovery?.maxDisconnectionDuration;
    this.#namespace = namespace;
  }

  /** Waits for the return of a client whose connection broke. Returns false if the client cannot return. */
  keep(client: SocketClient, reason: string): boolean {
    const { id } = client.socket;
    if (this.#mostMs === undefined || !recoverable.has(reason)) return false;
    this.#away.set(id, { client, timer: this.#startTimer(id, this.#mostMs) });
    return true;
  }

  /** Returns the client that has returned with this socket, or undefined for a new client. */
  take(socket: Socket): SocketClient | undefined {
    const away = socket.recovered ? this.#away.get(socket.id) : undefined;
    if (away === undefined) return undefined;
    this.#remove(socket.id, away);
    away.client.resume(socket);
    return away.client;
  }

  /** Stops waiting for the return of a client, because it has no runs any more. */
  forget(client: SocketClient): void {
    const { id } = client.socket;
    const away = this.#away.get(id);
    if (away?.client === client) this.#remove(id, away);
  }

  /** Ends the runs of all clients that have disconnected and may still reconnect. */
  close(): void {
    for (const [id, away] of this.#away) {
      this.#remove(id, away);
      away.client.leave();
    }
  }

  #startTimer(id: string, mostMs: number): NodeJS.Timeout {
    return setTimeout(() => void this.#giveUp(id, mostMs), mostMs + slackMs).unref();
  }

  /**
   * Ends the runs of a client that returned neither here nor at another node. If the client is at another node, checks
   * again later.
   */
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
      // If another node does not answer in time, the client is assumed to be gone.
      return false;
    }
  }

  #remove(id: string, { timer }: Away): void {
    clearTimeout(timer);
    this.#away.delete(id);
  }
}
