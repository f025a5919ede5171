import { KeyedCache, sharedHttpPool } from "@troupe/core/adapter";
import type { PooledRequestInit, ResolvedKey } from "@troupe/core/adapter";
import type { OpenAI } from "openai";
import type { ModelRules } from "./model-rules.ts";
import { readFailure } from "./read-failure.ts";

/** How long a request waits, and what ends it. */
export type Waiting = Pick<PooledRequestInit, "headersTimeoutMs" | "idleTimeoutMs"> & {
  signal: AbortSignal | undefined;
};

/** A request: where to, what with, and how long to wait. */
export type Posting = { path: string; body: object; waiting: Waiting };

/** The vendor, as the owner of one key meets it. */
export class Connection {
  /** What the vendor has refused this key so far. */
  learned: Partial<ModelRules> = {};
  readonly #client: OpenAI;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #addresses = new Map<string, string>();

  constructor(client: OpenAI, key: string | undefined) {
    this.#client = client;
    this.#headers = headersFor(key);
  }

  /** Sends a request and gives the reply as it comes. A status that is no success is thrown as the library's error. */
  async post({ path, body, waiting: { signal, ...waits } }: Posting): Promise<Response> {
    const reply = await sharedHttpPool().fetch(this.#addressOf(path), {
      method: "POST",
      headers: this.#headers,
      body: JSON.stringify(body),
      ...waits,
      ...(signal !== undefined && { signal }),
    });
    if (reply.ok) return reply;
    throw await readFailure(reply);
  }

  #addressOf(path: string): string {
    const known = this.#addresses.get(path);
    if (known !== undefined) return known;
    const address = this.#client.buildURL(path, null);
    this.#addresses.set(path, address);
    return address;
  }
}

/** Connections by key, over the sockets that the process shares. The vendor's library is loaded with the first. */
export class Connections {
  readonly #byKey: KeyedCache<Promise<Connection>>;

  constructor(baseURL: string) {
    this.#byKey = new KeyedCache(async (key) => {
      const { OpenAI: Client } = await import("openai");
      return new Connection(createClient(Client, baseURL), key);
    });
  }

  /** The connection of a key; servers that want no key share one. */
  open(key: ResolvedKey | undefined): Promise<Connection> {
    return this.#byKey.get(key?.value);
  }
}

/** Every option is set that the library would else read from the environment. It sees no key: it sends nothing. */
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

/** Ours alone: the library adds headers that it finds in the environment, and has no option against it. */
function headersFor(key: string | undefined): Readonly<Record<string, string>> {
  return {
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "user-agent": "troupe",
  };
}
