import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { FaultSwitch } from "./fault-switch.ts";
import { ProxiedConnection } from "./proxied-connection.ts";
import type { ProxyTarget } from "./proxied-connection.ts";
import type { ProxyFaults } from "./proxy-faults.ts";

/** Where a proxy leads and what goes wrong from the start. */
export type TcpProxyOptions = { target: ProxyTarget; faults?: ProxyFaults };

/**
 * Stands between a client and a server that speak anything over TCP, passes bytes, ends and resets on as they are, and
 * does to them what its faults say. Faults may be changed at any time and hold for connections that are open, too.
 */
export class TcpProxy {
  readonly host = "127.0.0.1";
  readonly port: number;
  /** Every connection since the start, in order. */
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
    return new TcpProxy(await listen(0), options);
  }

  /** For clients of HTTP. */
  get url(): string {
    return `http://${this.host}:${this.port}`;
  }

  /** The connections that are not over. */
  get open(): ProxiedConnection[] {
    return this.connections.filter(({ end }) => end === "open");
  }

  /** Puts these faults in the place of those that were on; without any, everything goes well again. */
  setFaults(faults: ProxyFaults = {}): void {
    this.#faults.set(faults);
  }

  /** Resets every open connection now. */
  reset(): void {
    for (const connection of this.open) connection.reset();
  }

  /** New connections are refused from now on; open ones go on. */
  refuseConnections(): void {
    this.#server?.close();
    this.#server = undefined;
  }

  /** New connections are taken again, on the same port. */
  async acceptConnections(): Promise<void> {
    if (this.#server === undefined) this.#serve(await listen(this.port));
  }

  /** Drops every connection and the port; resolves when nothing is left. */
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
