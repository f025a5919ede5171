import { ask, startChild, stopChild } from "../child.ts";
import type { Child } from "../child.ts";
import type { Held, HeldOrder, Worked } from "../servers/held.ts";
import type { VendorAnswer, VendorOrder } from "./slow-vendor.ts";
import type { ClientAnswer, ClientOrder } from "./stream-clients.ts";

/** A server, its vendor and its clients, in processes of their own. */
export class StreamTrial {
  readonly #server: Child;
  readonly #vendor: Child;
  readonly #clients: Child;

  private constructor(server: Child, vendor: Child, clients: Child) {
    this.#server = server;
    this.#vendor = vendor;
    this.#clients = clients;
  }

  static async start(file: string | URL, { everyMs = 1000 } = {}): Promise<StreamTrial> {
    const vendor = await startChild("http/slow-vendor.ts", 1, { BENCH_EVERY_MS: String(everyMs) });
    const server = await startChild(file, 0, { BENCH_VENDOR_URL: vendor.url });
    return new StreamTrial(server, vendor, await startChild("http/stream-clients.ts", 1));
  }

  /** Opens streams, and waits for the first piece of each. */
  async open(count: number): Promise<ClientAnswer> {
    return await this.#ask({ open: count, url: this.#server.url, path: "/agents/bench/stream" });
  }

  /** Opens idle connections. */
  async connect(count: number): Promise<ClientAnswer> {
    return await this.#ask({ idle: count, url: this.#server.url });
  }

  /** Cuts all connections at once. Returns the milliseconds until the vendor has no stream left. */
  async cut(): Promise<number> {
    const empty = ask<VendorAnswer>(this.#vendor, { whenEmpty: true } satisfies VendorOrder);
    const startedAt = Date.now();
    await this.#ask({ cut: true });
    return (await empty).atMs - startedAt;
  }

  /** Returns the number of streams that the vendor is writing. */
  async vendorStreams(): Promise<number> {
    return (await ask<VendorAnswer>(this.#vendor, { count: true } satisfies VendorOrder)).open;
  }

  /** Returns the resources that the server holds. */
  async held(): Promise<Held> {
    return await ask<Held>(this.#server, { held: true } satisfies HeldOrder);
  }

  /** Returns the processor time that the server has used so far, in milliseconds. */
  async workedMs(): Promise<number> {
    return (await ask<Worked>(this.#server, { worked: true } satisfies HeldOrder)).workedMs;
  }

  stop(): void {
    for (const child of [this.#clients, this.#server, this.#vendor]) stopChild(child);
  }

  async #ask(order: ClientOrder): Promise<ClientAnswer> {
    return await ask<ClientAnswer>(this.#clients, order);
  }
}
