import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { FakeEmbeddings } from "@troupe/core/testing";
import { answerPlanned } from "./planned-reply.ts";
import { deliver } from "./delivery.ts";
import type { Delivery } from "./delivery.ts";
import type { CacheCounts, OwnDialect, PromptCache, VendorAnswer, VendorReply, VendorRequest } from "./dialect.ts";
import type { Exchange } from "./exchange.ts";
import type { PlannedReply } from "./planned-reply.ts";
import { readRequest } from "./request.ts";
import { findDialect } from "./find-dialect.ts";
import type { KnownRequest } from "./find-dialect.ts";

/** Options of `FakeVendor.start`. */
export type FakeVendorOptions = {
  /** Answers 400 to every request that a real vendor would refuse. @default false */
  strict?: boolean;
  /** Length of embedding vectors. @default 256 */
  dimensions?: number;
  /** A wire format besides those of the five vendors. Its requests are recognised first. */
  dialect?: OwnDialect;
  /** The clock of the strict vendor's prompt cache, in milliseconds. @default Date.now */
  now?: () => number;
};

type Answer = { reply: VendorReply; delivery?: Delivery | undefined; onBegin?: (() => void) | undefined };

/**
 * A local server that speaks the wire formats of all vendors. It answers chat requests with planned replies, in order,
 * in the format of each request, and embedding requests without a plan. It records each request, its key and its
 * outcome.
 */
export class FakeVendor {
  readonly url: string;
  readonly exchanges: Exchange[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #plan: PlannedReply[] = [];
  readonly #strict: boolean;
  readonly #embeddings: FakeEmbeddings;
  readonly #caches = new Map<OwnDialect, PromptCache>();
  readonly #dialect: OwnDialect | undefined;
  readonly #now: () => number;
  #answerRest: ((exchange: Exchange) => PlannedReply) | undefined;
  #callCount = 0;
  #connectionCount = 0;

  private constructor(server: Server, options: FakeVendorOptions) {
    const { strict = false, dimensions = 256, dialect, now = Date.now } = options;
    this.#server = server;
    this.#strict = strict;
    this.#dialect = dialect;
    this.#now = now;
    this.#embeddings = new FakeEmbeddings({ dimensions });
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on("connection", (socket) => {
      this.#connectionCount += 1;
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    server.on("request", (request, response) => void this.#handle(request, response));
  }

  /** Starts the server on a free port. */
  static async start(options: FakeVendorOptions = {}): Promise<FakeVendor> {
    const server = createServer();
    // Unlimited, because on a busy machine more than Node's five seconds may pass between two requests of one
    // connection.
    server.keepAliveTimeout = 0;
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new FakeVendor(server, options);
  }

  /** Plans replies, in order. */
  plan(...replies: PlannedReply[]): this {
    this.#plan.push(...replies);
    return this;
  }

  /** Plans replies that are answers of a model. */
  say(...answers: VendorAnswer[]): this {
    return this.plan(...answers.map((answer) => ({ answer })));
  }

  /** Sets the reply to requests beyond the planned ones. */
  respond(answer: (exchange: Exchange) => PlannedReply): this {
    this.#answerRest = answer;
    return this;
  }

  /** Throws if planned replies are left, or if a request arrived for which none was planned. */
  assertDone(): void {
    if (this.#plan.length > 0)
      throw new Error(`The vendor has ${this.#plan.length} planned answer(s) left. Expected a request for each.`);
    const unplanned = this.exchanges.filter(({ isUnplanned }) => isUnplanned).length;
    if (unplanned > 0)
      throw new Error(`The vendor received ${unplanned} request(s) more than planned. Plan an answer for each.`);
  }

  /** Number of open connections. */
  get openConnections(): number {
    return this.#sockets.size;
  }

  /** Number of connections so far, open or closed. */
  get connectionCount(): number {
    return this.#connectionCount;
  }

  /** Ends all connections and the server. Closing twice is safe. */
  async close(): Promise<void> {
    const closed = [once(this.#server, "close"), ...[...this.#sockets].map((socket) => once(socket, "close"))];
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(closed);
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const ended = new Promise((resolve) => response.once("close", resolve));
    const request = await readRequest(incoming);
    const known = findDialect(request, this.#dialect);
    const exchange = toExchange(request, known);
    this.exchanges.push(exchange);
    if (response.destroyed) {
      // A client that disconnected before the answer is not billed.
      exchange.end = "abandoned";
      return;
    }
    const { reply, delivery = {}, onBegin } = await this.#answer(known, exchange);
    const delivered = await deliver(response, reply, { ...delivery, onBegin });
    // Recorded now, because the fault ends the connection. A hanging connection is ended by the client.
    if (delivered === "broken" && delivery.fault?.kind !== "hang") exchange.end = "broken";
    await ended;
    if (exchange.end === "open") exchange.end = response.writableFinished ? "completed" : "abandoned";
  }

  async #answer(known: KnownRequest | undefined, exchange: Exchange): Promise<Answer> {
    if (known === undefined) return { reply: unknownRequest(exchange) };
    const { dialect, route, request } = known;
    const refusal = this.#strict ? dialect.refuse(request, route) : undefined;
    if (refusal !== undefined) {
      exchange.refusal = refusal;
      return { reply: dialect.fail({ status: 400, ...refusal }, request) };
    }
    if (dialect.embeddings !== undefined && route.kind === "embeddings") {
      const vectors = await this.#embeddings.embedBatch(dialect.embeddings.textsOf(request));
      return { reply: dialect.embeddings.embed(vectors, request) };
    }
    return this.#answerChat(known, exchange);
  }

  #answerChat(known: KnownRequest, exchange: Exchange): Answer {
    const planned = this.#plan.shift() ?? this.#answerRest?.(exchange);
    if (planned === undefined) {
      exchange.isUnplanned = true;
      return { reply: known.dialect.fail({ status: 500, message: "This request was not planned." }, known.request) };
    }
    const cached = "failure" in planned && planned.afterAnswer === undefined ? undefined : this.#countCached(known);
    const createCallId = () => `call_${++this.#callCount}`;
    const { reply, billed } = answerPlanned(planned, { ...known, ...(cached && { cached }) }, createCallId);
    if (billed !== undefined) exchange.billed = billed;
    return { reply, delivery: planned.delivery, onBegin: cached?.begin };
  }

  /**
   * Counts a request for the vendor's prompt cache. Returns undefined for a prompt that neither reads nor writes it.
   */
  #countCached({ dialect, request }: KnownRequest): CacheCounts | undefined {
    if (!this.#strict || dialect.createCache === undefined) return undefined;
    const cache = this.#caches.get(dialect) ?? dialect.createCache(this.#now);
    this.#caches.set(dialect, cache);
    const counts = cache.count(request.body, dialect.keyOf(request));
    return counts.read + counts.write > 0 ? counts : undefined;
  }
}

function toExchange(request: VendorRequest, known: KnownRequest | undefined): Exchange {
  const key = known?.dialect.keyOf(request);
  return { dialect: known?.dialect.name, route: known?.route, request, key, end: "open" };
}

function unknownRequest({ request }: Exchange): VendorReply {
  const text = `No vendor has the route ${request.method} ${request.url}.`;
  return { status: 404, headers: { "content-type": "text/plain" }, frames: [text] };
}
