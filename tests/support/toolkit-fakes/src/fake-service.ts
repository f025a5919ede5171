import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { deliver } from "@troupe-internal/vendor-fakes";
import type { Delivery } from "@troupe-internal/vendor-fakes";

/** A request as a `FakeService` received it. */
export type FakeRequest = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage["headers"];
  body: string;
};

/** An answer of a `FakeService`, byte for byte, and how it is sent: in pieces, slowly, cut, reset or hanging. */
export type FakeReply = {
  /** The HTTP status. @default 200 */
  status?: number;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  delivery?: Delivery;
};

/** Makes the answer to a request. */
export type Answer = (request: FakeRequest) => FakeReply;

/** A local HTTP server that sends the answers of a test, and records its requests. */
export class FakeService {
  /** The server's base address. */
  readonly url: string;
  readonly requests: FakeRequest[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #answer: Answer = () => ({ status: 500, body: "This request was not expected." });

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    server.on("request", (request, response) => void this.#handle(request, response));
  }

  /** Starts a server on a free port. */
  static async start(): Promise<FakeService> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new FakeService(server);
  }

  /** Sets the answer to all requests from now on. */
  answer(answer: Answer | FakeReply): this {
    this.#answer = typeof answer === "function" ? answer : () => answer;
    return this;
  }

  /** Number of open connections. */
  get openConnections(): number {
    return this.#sockets.size;
  }

  /** Ends all connections and the server. Closing twice is safe. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Uint8Array[] = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk as Uint8Array);
    } catch {
      return;
    }
    const { pathname, searchParams } = new URL(incoming.url ?? "/", this.url);
    const body = Buffer.concat(chunks).toString();
    const request = {
      method: incoming.method ?? "",
      path: pathname,
      query: searchParams,
      headers: incoming.headers,
      body,
    };
    this.requests.push(request);
    const { status = 200, headers = {}, body: answered = "", delivery = {} } = this.#answer(request);
    await deliver(response, { status, headers, frames: [answered] }, delivery);
  }
}
