import type { Anthropic } from "@anthropic-ai/sdk";
import { sharedHttpPool } from "@troupe/core/adapter";
import type { ProviderSettings } from "./anthropic-options.ts";
import { readVendorError } from "./read-vendor-error.ts";
import type { Request } from "./to-request.ts";

/** The settings of a model that its connections need: address, header for the key, and idle timeout. */
export type ConnectionSettings = Pick<ProviderSettings, "baseURL" | "keyHeader" | "idleTimeoutMs">;

/** Mode, timeout and signal of one request. `timeoutMs`: milliseconds to wait for the response headers. */
export type SendOptions = { stream: boolean; timeoutMs: number; signal: AbortSignal | undefined };

/** Sends requests to the Messages API under one API key. A model has one for each key. */
export class Connection {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #idleTimeoutMs: number;

  private constructor(url: string, key: string, { keyHeader, idleTimeoutMs }: ConnectionSettings) {
    this.#url = url;
    this.#idleTimeoutMs = idleTimeoutMs;
    // Without the library, which adds headers from the environment and has no option against it.
    this.#headers = {
      accept: "application/json",
      "content-type": "application/json",
      "user-agent": "troupe",
      [keyHeader]: keyHeader === "authorization" ? `Bearer ${key}` : key,
    };
  }

  /** Takes the URL from the library. The first call loads it. The library sees no key, since it sends nothing. */
  static async open(key: string, settings: ConnectionSettings): Promise<Connection> {
    const { Anthropic: Client } = await import("@anthropic-ai/sdk");
    return new Connection(createClient(Client, settings).buildURL("/v1/messages", null), key, settings);
  }

  /** Sends a request and returns the response before its body. An error status is thrown as the library's error. */
  async post({ body, version }: Request, { stream, timeoutMs, signal }: SendOptions): Promise<Response> {
    const reply = await sharedHttpPool().fetch(this.#url, {
      method: "POST",
      headers: { ...this.#headers, "anthropic-version": version },
      body: JSON.stringify({ ...body, stream }),
      headersTimeoutMs: timeoutMs,
      idleTimeoutMs: this.#idleTimeoutMs,
      ...(signal !== undefined && { signal }),
    });
    if (reply.ok) return reply;
    throw await readVendorError(reply);
  }
}

/** Sets every option that the library would otherwise read from the environment. */
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
