import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { freePort } from "@troupe-internal/fault-tools";
import { QdrantRefusal } from "./double-collection.ts";
import type { DoubleCollection } from "./double-collection.ts";
import { DoubleRoutes } from "./double-routes.ts";
import type { DoubleRequest } from "./double-routes.ts";

/** The act of the double in place of its answer: it closes the connection, never answers, or answers this. */
export type DoubleFault = "cut" | "hang" | { status: number; body?: string; headers?: Record<string, string> };

/** Settings of a `QdrantDouble`. */
export type DoubleOptions = { apiKey?: string; version?: string };

type Answer = { status: number; body: string; headers?: Record<string, string> };

const largestBody = 32 * 2 ** 20;

/**
 * A double of a Qdrant server, not Qdrant: it checks each request against the published description of Qdrant 1.16, answers
 * as Qdrant does, and keeps points in memory, where it compares them one by one. So a search in it is exact.
 */
export class QdrantDouble {
  readonly requests: DoubleRequest[] = [];
  /** Chooses a fault for a request, before anything is done. */
  fault: (request: DoubleRequest) => DoubleFault | undefined = () => undefined;
  readonly #routes = new DoubleRoutes();
  readonly #options: DoubleOptions;
  readonly #server: Server;
  #port = 0;

  private constructor(options: DoubleOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(options: DoubleOptions = {}, port?: number): Promise<QdrantDouble> {
    const double = new QdrantDouble(options);
    double.#port = port ?? (await freePort());
    await new Promise<void>((resolve) => double.#server.listen(double.#port, "127.0.0.1", resolve));
    return double;
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The collections by their names in Qdrant. */
  get collections(): ReadonlyMap<string, DoubleCollection> {
    return this.#routes.collections;
  }

  /** Is waited for before each change of a point, for a reader in between. */
  set beforeChange(wait: (() => Promise<void>) | undefined) {
    this.#routes.beforeChange = wait;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await this.#answer(incoming).catch(toAnswer);
    if (answer === "cut") incoming.socket.destroy();
    else if (answer !== "hang") {
      response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers }).end(answer.body);
    }
  }

  async #answer(incoming: IncomingMessage): Promise<Answer | "cut" | "hang"> {
    const request = await readRequest(incoming);
    this.requests.push(request);
    const fault = this.fault(request);
    if (fault !== undefined) return typeof fault === "string" ? fault : toFaultyAnswer(fault);
    if (request.path === "/") {
      const version = { title: "qdrant - vector search engine", version: this.#options.version ?? "1.16.2" };
      return { status: 200, body: JSON.stringify(version) };
    }
    if (this.#options.apiKey !== undefined && incoming.headers["api-key"] !== this.#options.apiKey) {
      throw new QdrantRefusal(401, "Must provide an API key or an Authorization bearer token");
    }
    const result = await this.#routes.answer(request);
    return { status: 200, body: JSON.stringify({ result, status: "ok", time: 0 }) };
  }
}

async function readRequest(incoming: IncomingMessage): Promise<DoubleRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks);
  if (text.length > largestBody) throw new QdrantRefusal(413, "Payload error: JSON payload is larger than allowed.");
  const url = new URL(incoming.url ?? "/", "http://double");
  const body = (text.length === 0 ? {} : JSON.parse(text.toString("utf8"))) as Record<string, unknown>;
  const { method = "", headers } = incoming;
  return { method, path: url.pathname, query: url.searchParams, headers, body };
}

function toAnswer(error: unknown): Answer {
  const status = error instanceof QdrantRefusal ? error.status : 500;
  return { status, body: JSON.stringify({ status: { error: (error as Error).message }, time: 0 }) };
}

/** A proxy between the client and Qdrant answers with pages. */
function toFaultyAnswer({ status, body = "", headers }: Exclude<DoubleFault, string>): Answer {
  const type = body.startsWith("{") ? "application/json" : "text/html";
  return { status, body, headers: { "content-type": type, ...headers } };
}
