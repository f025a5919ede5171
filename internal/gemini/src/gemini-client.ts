import type { GoogleGenAI, HttpOptions } from "@google/genai/web";
import { sharedHttpPool } from "@troupe/core/adapter";
import type { PooledRequestInit } from "@troupe/core/adapter";
import { readFailure } from "./vendor-failure.ts";

/** Where the interface is: the address with its version, and whether it is the cloud platform's. */
export type ClientSettings = { baseURL: string; isCloud: boolean };

/** A request as the vendor's library would send it. */
export type WrittenRequest = { url: string; body: string };

/** Asks the vendor's library for something; `httpOptions` must be handed to it in the config of what is asked. */
export type Ask = (models: GoogleGenAI["models"], httpOptions: HttpOptions) => Promise<unknown>;

/** How a request is sent: who asks, how long it waits, and what ends it. */
export type Sending = {
  /** What proves who asks. */
  headers: Readonly<Record<string, string>>;
  signal: AbortSignal | undefined;
} & Pick<PooledRequestInit, "headersTimeoutMs" | "idleTimeoutMs">;

/**
 * Gemini's interface at one address. The vendor's library writes the requests, and sees neither a key nor an answer; they
 * are sent, and their answers read, without it.
 */
export class GeminiClient {
  readonly #settings: ClientSettings;
  #models: Promise<GoogleGenAI["models"]> | undefined;

  constructor(settings: ClientSettings) {
    this.#settings = settings;
  }

  /** Has the library write a request, and loads the library when this is the first. */
  async write(ask: Ask): Promise<WrittenRequest> {
    this.#models ??= loadModels(this.#settings);
    const models = await this.#models;
    let written: WrittenRequest | undefined;
    const fetch = async (url: unknown, init?: { body?: unknown }): Promise<Response> => {
      written = { url: String(url), body: String(init?.body) };
      return emptyAnswer();
    };
    await ask(models, { fetch });
    if (written === undefined) throw new Error("The vendor's library wrote no request.");
    return written;
  }

  /** Sends a request and gives the reply as it comes. A status that is no success is thrown as a `VendorFailure`. */
  async post({ url, body }: WrittenRequest, { headers, signal, ...waits }: Sending): Promise<Response> {
    const reply = await sharedHttpPool().fetch(url, {
      method: "POST",
      headers: { accept: "*/*", "content-type": "application/json", "user-agent": "troupe", ...headers },
      body,
      ...waits,
      ...(signal !== undefined && { signal }),
    });
    if (reply.ok) return reply;
    throw await readFailure({ status: reply.status, headers: reply.headers, text: () => reply.text() });
  }
}

/** The library's door for browsers, on purpose: the one for Node reads the environment, and writes of it to the console. */
async function loadModels({ baseURL, isCloud }: ClientSettings): Promise<GoogleGenAI["models"]> {
  const { GoogleGenAI: Client } = await import("@google/genai/web");
  const client = new Client({
    vertexai: isCloud,
    // It insists on a key; what is sent is decided with each request.
    apiKey: "none",
    // Stands in the address, where it is followed by the project's path on the cloud platform.
    apiVersion: "",
    httpOptions: { baseUrl: baseURL },
  });
  return client.models;
}

/** What the library may read of an answer that it is not shown. */
function emptyAnswer(): Response {
  return { ok: true, status: 200, headers: new Map(), json: async () => ({}) } as unknown as Response;
}
