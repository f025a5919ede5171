import type { Anthropic } from "@anthropic-ai/sdk";
import { sharedHttpPool } from "@troupe/core/adapter";
import type { ModelSettings } from "./anthropic-options.ts";
import { readFailure } from "./read-failure.ts";
import type { Request } from "./to-request.ts";

/** What all connections of one model have in common. */
export type ConnectionSettings = Pick<ModelSettings, "baseURL" | "keyHeader" | "idleTimeoutMs">;

/** How a request is sent: whether it is to be streamed, how long the head of its answer may take, and what ends it. */
export type Sending = { stream: boolean; timeoutMs: number; signal: AbortSignal | undefined };

/** The vendor, as the owner of one key meets it. */
export class Connection {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #idleTimeoutMs: number;

  private constructor(url: string, key: string, { keyHeader, idleTimeoutMs }: ConnectionSettings) {
    this.#url = url;
    this.#idleTimeoutMs = idleTimeoutMs;
    // Ours alone: the library adds headers that it finds in the environment, and has no option against it.
    this.#headers = {
      accept: "application/json",
      "content-type": "application/json",
      "user-agent": "troupe",
      [keyHeader]: keyHeader === "authorization" ? `Bearer ${key}` : key,
    };
  }

  /** Asks the library for the address, and loads it when this is the first. It sees no key: it sends nothing. */
  static async open(key: string, settings: ConnectionSettings): Promise<Connection> {
    const { Anthropic: Client } = await import("@anthropic-ai/sdk");
    return new Connection(createClient(Client, settings).buildURL("/v1/messages", null), key, settings);
  }

  /** Sends a request and gives the reply as it comes. A status that is no success is thrown as the library's error. */
  async post({ body, version }: Request, { stream, timeoutMs, signal }: Sending): Promise<Response> {
    const reply = await sharedHttpPool().fetch(this.#url, {
      method: "POST",
      headers: { ...this.#headers, "anthropic-version": version },
      body: JSON.stringify({ ...body, stream }),
      headersTimeoutMs: timeoutMs,
      idleTimeoutMs: this.#idleTimeoutMs,
      ...(signal !== undefined && { signal }),
    });
    if (reply.ok) return reply;
    throw await readFailure(reply);
  }
}

/** What is not said here, the library looks for in the environment. */
function createClient(Client: typeof Anthropic, { baseURL }: ConnectionSettings): Anthropic {
  return new Client({
    apiKey: "none",
    baseURL,
    webhookKey: null,
    logLevel: "off",
    openTelemetry: false,
    maxRetries: 0,
  });
}
