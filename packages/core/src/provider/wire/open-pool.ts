import type * as Undici from "undici";
import type { Client } from "undici";
import { ConnectionPool, loadUndici } from "./connection-pool.ts";

/**
 * Opens a pool of undici connections. Returns undefined if requests must be sent by `fetch` instead: on a runtime such
 * as Bun, which has only a part of undici, and on workerd, where undici's sockets do not work.
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

/** Returns true on workerd, the runtime of Cloudflare Workers, which identifies itself by name. */
function isWorkerd(): boolean {
  return globalThis.navigator?.userAgent === "Cloudflare-Workers";
}
