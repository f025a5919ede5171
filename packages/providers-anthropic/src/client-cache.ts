import { hash } from "node:crypto";
import type { Anthropic } from "@anthropic-ai/sdk";
import { createClient } from "./create-client.ts";
import type { ClientSettings } from "./create-client.ts";

/** A client costs some kilobytes. Where there are more keys than this, they take turns. */
const mostClients = 100;

/** The library's clients, one for each key; the least recently used goes first. A key is known here by its hash. */
export class ClientCache {
  readonly #settings: ClientSettings;
  readonly #clients = new Map<string, Promise<Anthropic>>();

  constructor(settings: ClientSettings) {
    this.#settings = settings;
  }

  /** How many clients are kept. */
  get size(): number {
    return this.#clients.size;
  }

  /** The client for a key. */
  get(key: string): Promise<Anthropic> {
    const id = hash("sha256", key);
    const client = this.#clients.get(id) ?? createClient(key, this.#settings);
    // Put at the end again: the first in the map is the one that nobody has asked for longest.
    this.#clients.delete(id);
    this.#clients.set(id, client);
    const [oldest] = this.#clients.keys();
    if (this.#clients.size > mostClients && oldest !== undefined) this.#clients.delete(oldest);
    return client;
  }
}
