import { KeyedCache, sharedHttpPool } from "@troupe/core/adapter";
import type { PooledRequestInit, ResolvedKey } from "@troupe/core/adapter";
import type { OpenAI } from "openai";
import type { ModelRules } from "./model-rules.ts";
import { readVendorError } from "./read-vendor-error.ts";

/** Timeouts in milliseconds (for the response headers, and between bytes) and signal of a request. */
export type SendOptions = Pick<PooledRequestInit, "headersTimeoutMs" | "idleTimeoutMs"> & {
  signal: AbortSignal | undefined;
};

/** A request for `Connection.post`: the path below the base URL, and the body, which is sent as JSON. */
export type PostRequest = { path: string; body: object };

/** Sends requests to one server under one API key or none, and holds the rules learned from refusals for this key. */
export class Connection {
  /** Rules learned from refusals for this key. */
  learned: Partial<ModelRules> = {};
  readonly #client: OpenAI;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #addresses = new Map<string, string>();

  constructor(client: OpenAI, key: string | undefined) {
    this.#client = client;
    this.#headers = headersFor(key);
  }

  /** Sends a request and returns the response before its body. An error status is thrown as the library's error. */
  async post({ path, body }: PostRequest, { signal, ...waits }: SendOptions): Promise<Response> {
    const reply = await sharedHttpPool().fetch(this.#addressOf(path), {
      method: "POST",
      headers: this.#headers,
      body: JSON.stringify(body),
      ...waits,
      ...(signal !== undefined && { signal }),
    });
    if (reply.ok) return reply;
    throw await readVendorError(reply);
  }

  #addressOf(path: string): string {
    const known = this.#addresses.get(path);
    if (known !== undefined) return known;
    const address = this.#client.buildURL(path, null);
    this.#addresses.set(path, address);
    return address;
  }
}

/** The connections of one model, or of embeddings, by API key. The first one loads the package `openai`. */
export class Connections {
  readonly #byKey: KeyedCache<Promise<Connection>>;

  constructor(baseURL: string) {
    this.#byKey = new KeyedCache(async (key) => {
      const { OpenAI: Client } = await import("openai");
      return new Connection(createClient(Client, baseURL), key);
    });
  }

  /** Returns the connection for a key, or the common one without a key. */
  open(key: ResolvedKey | undefined): Promise<Connection> {
    return this.#byKey.get(key?.value);
  }
}

/** Sets every option that the library would otherwise read from the environment. The library sees no key, since it sends nothing. */
function createClient(Client: typeof OpenAI, baseURL: string): OpenAI {
  return new Client({
    apiKey: "none",
    baseURL,
    organization: null,
    project: null,
    adminAPIKey: null,
    webhookSecret: null,
    maxRetries: 0,
    logLevel: "off",
  });
}

/** Writes the headers without the library, which adds some from the environment and has no option against it. */
function headersFor(key: string | undefined): Readonly<Record<string, string>> {
  return {
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "user-agent": "troupe",
  };
}
