import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { FaultSwitch } from "./proxy-faults.ts";
import { ProxiedConnection } from "./proxied-connection.ts";
import type { ProxyTarget } from "./proxied-connection.ts";
import type { ProxyFaults } from "./proxy-faults.ts";
import { freePort } from "../servers/free-port.ts";

/** Options of a `TcpProxy`: its target, and the faults at its start. */
export type TcpProxyOptions = { target: ProxyTarget; faults?: ProxyFaults };

/**
 * A proxy between a client and a server over TCP. It passes on bytes, ends and resets unchanged, except for its faults,
 * which can be changed at any time and also apply to open connections.
 */
export class TcpProxy {
  readonly host = "127.0.0.1";
  readonly port: number;
  /** All connections since the start, in order. */
  readonly connections: ProxiedConnection[] = [];
  readonly #target: ProxyTarget;
  readonly #faults: FaultSwitch;
  #server: Server | undefined;

  private constructor(server: Server, { target, faults = {} }: TcpProxyOptions) {
    this.port = (server.address() as AddressInfo).port;
    this.#target = target;
    this.#faults = new FaultSwitch(faults);
    this.#serve(server);
  }

  /** Starts a proxy on a free local port. */
  static async start(options: TcpProxyOptions): Promise<TcpProxy> {
    return new TcpProxy(await listen(await freePort()), options);
  }

  /** Base URL for HTTP clients. */
  get url(): string {
    return `http://${this.host}:${this.port}`;
  }

  /** The open connections. */
  get open(): ProxiedConnection[] {
    return this.connections.filter(({ end }) => end === "open");
  }

  /** Replaces the faults. Without an argument, removes all faults. */
  setFaults(faults: ProxyFaults = {}): void {
    this.#faults.set(faults);
  }

  /** Resets all open connections. */
  reset(): void {
    for (const connection of this.open) connection.reset();
  }

  /** Refuses new connections. Open ones continue. */
  refuseConnections(): void {
    this.#server?.close();
    this.#server = undefined;
  }

  /** Accepts new connections again, on the same port. */
  async acceptConnections(): Promise<void> {
    if (this.#server === undefined) this.#serve(await listen(this.port));
  }

  /** Closes all connections and the port. Resolves when all sockets are closed. */
  async close(): Promise<void> {
    this.refuseConnections();
    for (const connection of this.connections) connection.drop();
    await Promise.all(this.connections.map(async ({ closed }) => await closed));
  }

  #serve(server: Server): void {
    this.#server = server;
    server.on("connection", (client: Socket) => {
      this.connections.push(new ProxiedConnection(client, this.#target, this.#faults));
    });
  }
}

async function listen(port: number): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }).listen(port, "127.0.0.1");
  await once(server, "listening");
  return server;
}
