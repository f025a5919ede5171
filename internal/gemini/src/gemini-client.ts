import type { GoogleGenAI, HttpOptions } from "@google/genai/web";
import { sharedHttpPool } from "@troupe/core/adapter";
import type { PooledRequestInit } from "@troupe/core/adapter";
import { readVendorError } from "./vendor-error.ts";

/**
 * The API that a `GeminiClient` sends to: `baseURL` with the version, and `isCloud` for Google Cloud (Vertex) instead
 * of the Gemini API.
 */
export type ClientSettings = { baseURL: string; isCloud: boolean };

/**
 * The URL and JSON body that `@google/genai` wrote for a request. `GeminiClient.post` sends them with headers of its
 * own.
 */
export type WrittenRequest = { url: string; body: string };

/**
 * Calls one method of `@google/genai`, for `GeminiClient.write` to catch its request. It must put `httpOptions` into
 * the `config` of the method: they hold the `fetch` that catches the request.
 */
export type SdkCall = (models: GoogleGenAI["models"], httpOptions: HttpOptions) => Promise<unknown>;

/**
 * Headers with credentials, abort signal, and timeouts in milliseconds with which `GeminiClient.post` sends a request.
 */
export type SendOptions = {
  /** Credentials. */
  headers: Readonly<Record<string, string>>;
  signal: AbortSignal | undefined;
} & Pick<PooledRequestInit, "headersTimeoutMs" | "idleTimeoutMs">;

/**
 * A client of Gemini's API at one address, for models and embeddings. `@google/genai` only writes the requests; the
 * shared HTTP pool sends them, so that the library sees neither a key nor an answer.
 */
export class GeminiClient {
  readonly #settings: ClientSettings;
  #models: Promise<GoogleGenAI["models"]> | undefined;

  constructor(settings: ClientSettings) {
    this.#settings = settings;
  }

  /** Lets the library write a request. The first call loads the library. */
  async write(ask: SdkCall): Promise<WrittenRequest> {
    this.#models ??= loadModels(this.#settings);
    const models = await this.#models;
    let written: WrittenRequest | undefined;
    const fetch = async (url: unknown, init?: { body?: unknown }): Promise<Response> => {
      written = { url: String(url), body: String(init?.body) };
      return emptyResponse();
    };
    await ask(models, { fetch });
    if (written === undefined) throw new Error("The vendor's library wrote no request.");
    return written;
  }

  /** Sends a request and returns the response before its body. An error status is thrown as a `VendorError`. */
  async post({ url, body }: WrittenRequest, { headers, signal, ...waits }: SendOptions): Promise<Response> {
    const reply = await sharedHttpPool().fetch(url, {
      method: "POST",
      headers: { accept: "*/*", "content-type": "application/json", "user-agent": "troupe", ...headers },
      body,
      ...waits,
      ...(signal !== undefined && { signal }),
    });
    if (reply.ok) return reply;
    throw await readVendorError({ status: reply.status, headers: reply.headers, text: () => reply.text() });
  }
}

/** Loads the library's entry point for browsers: the one for Node reads the environment and writes to the console. */
async function loadModels({ baseURL, isCloud }: ClientSettings): Promise<GoogleGenAI["models"]> {
  const { GoogleGenAI: Client } = await import("@google/genai/web");
  const client = new Client({
    vertexai: isCloud,
    // Required by the library. Each request brings its own credentials.
    apiKey: "none",
    // Is part of the address, where the path of the project may follow it.
    apiVersion: "",
    httpOptions: { baseUrl: baseURL },
  });
  return client.models;
}

/** A response that satisfies the library. */
function emptyResponse(): Response {
  return { ok: true, status: 200, headers: new Map(), json: async () => ({}) } as unknown as Response;
}
