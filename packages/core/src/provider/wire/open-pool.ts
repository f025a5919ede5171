import type * as Undici from "undici";
import type { Client } from "undici";
import { ConnectionPool, loadUndici } from "./connection-pool.ts";

/**
 * Opens a pool of undici connections. Returns undefined on a runtime that replaces undici by a part of it, such as Bun, or
 * on workerd, whose sockets it cannot use even where it can be loaded: there `fetch` sends.
 */
export async function openPool(
  options: Client.Options,
  load: () => Promise<Pick<typeof Undici, "buildConnector" | "Client">> = loadUndici,
): Promise<ConnectionPool | undefined> {
  if (isWorkerd()) return undefined;
  const undici = await load().catch(() => undefined);
  if (undici === undefined || !canDispatch(undici.Client)) return undefined;
  const { buildConnector, Client: UndiciClient } = undici;
  // The connector is shared by all clients, because it caches the TLS sessions of each server.
  const connect = buildConnector({ allowH2: false });
  return new ConnectionPool((origin) => new UndiciClient(origin, { ...options, connect }));
}

function canDispatch(client: { prototype?: { dispatch?: unknown } }): boolean {
  return typeof client.prototype?.dispatch === "function";
}

/** Returns true on the runtime of Cloudflare's Workers, by the name that it gives itself. */
function isWorkerd(): boolean {
  return globalThis.navigator?.userAgent === "Cloudflare-Workers";
}
