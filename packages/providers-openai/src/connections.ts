import { KeyedCache, sharedHttpPool } from "@troupe/core/adapter";
import type { PooledRequestInit, ResolvedKey } from "@troupe/core/adapter";
import type { OpenAI } from "openai";
import type { ModelRules } from "./model-rules.ts";

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

  constructor(client: OpenAI) {
    this.#client = client;
  }

  /** Sends a request and gives the reply as it comes. A status that is no success is thrown as the library's error. */
  async post({ path, body, waiting }: Posting): Promise<Response> {
    return await this.#client.post(path, { body, fetchOptions: carry(waiting) }).asResponse();
  }
}

/** Connections by key, over the sockets that the process shares. The vendor's library is loaded with the first. */
export class Connections {
  readonly #byKey: KeyedCache<Promise<Connection>>;

  constructor(baseURL: string) {
    this.#byKey = new KeyedCache(async (key) => {
      const { OpenAI: Client } = await import("openai");
      return new Connection(createClient(Client, baseURL, key));
    });
  }

  /** The connection of a key; servers that want no key share one. */
  open(key: ResolvedKey | undefined): Promise<Connection> {
    return this.#byKey.get(key?.value);
  }
}

/** Every option is set that the library would else read from the environment. */
function createClient(Client: typeof OpenAI, baseURL: string, key: string | undefined): OpenAI {
  return new Client({
    // It insists on a key also where the server wants none; what is sent is decided below.
    apiKey: key ?? "none",
    baseURL,
    organization: null,
    project: null,
    adminAPIKey: null,
    webhookSecret: null,
    maxRetries: 0,
    logLevel: "off",
    fetch: createFetch(key),
  });
}

/**
 * Sends what the library wants to send, under headers of ours alone: the library adds headers that it finds in the
 * environment, and has no option against it.
 */
function createFetch(key: string | undefined): typeof fetch {
  const headers = {
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "user-agent": "troupe",
  };
  return async (url, { method = "POST", body = null, ...init } = {}) =>
    await sharedHttpPool().fetch(url, { method, body, headers, ...carried(init) });
}

/**
 * Puts the signal and the waits where the library passes them on untouched: it has no such waits, and would keep a
 * listener of its own on the signal until the garbage is collected.
 */
function carry(waiting: Waiting): object {
  return { waiting };
}

function carried(init: RequestInit): PooledRequestInit {
  const { signal, ...waits } = (init as { waiting: Waiting }).waiting;
  return { ...waits, ...(signal !== undefined && { signal }) };
}
