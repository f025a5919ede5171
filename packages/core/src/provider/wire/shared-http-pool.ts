import { createHttpPool } from "./http-pool.ts";
import type { HttpPool } from "./http-pool.ts";
import type { HttpSender } from "./http-sender.ts";
import { proxySender } from "./proxy-sender.ts";
import type { ProxyAddresses, ProxySender } from "./proxy-sender.ts";

/**
 * The connections that all models of the process share: to servers, and to the proxies most recently configured in the
 * environment.
 */
type SharedConnections = { pool: HttpPool; proxies?: { key: string; sender: ProxySender } | undefined };

// Module state on purpose: models share their sockets although they do not know each other. Created on first use.
let shared: SharedConnections | undefined;

function sharedConnections(): SharedConnections {
  shared ??= openShared();
  return shared;
}

function openShared(): SharedConnections {
  const connections = createHttpPool();
  const opened: SharedConnections = {
    pool: {
      send: (url, init) => connections.send(url, init),
      close: async () => {
        if (shared === opened) shared = undefined;
        await Promise.all([connections.close(), opened.proxies?.sender.close()]);
      },
    },
  };
  return opened;
}

/**
 * Returns the pool of HTTP connections that all models of the process share. Its `close` also ends the connections to
 * proxies of the environment. After that, the next call creates a new pool.
 */
export function sharedHttpPool(): HttpPool {
  return sharedConnections().pool;
}

/** Returns the shared pool or, if the environment configures proxies, a sender through these proxies. */
export function sharedHttpSender(proxies: ProxyAddresses | undefined): HttpSender {
  const connections = sharedConnections();
  if (proxies === undefined) return connections.pool;
  const key = JSON.stringify(proxies);
  if (connections.proxies?.key !== key) connections.proxies = { key, sender: proxySender(proxies) };
  return connections.proxies.sender;
}
