import type { Dispatcher } from "undici";
import { loadUndici } from "./connection-pool.ts";
import { sendOver } from "./http-pool.ts";
import type { HttpSender } from "./http-sender.ts";

/**
 * A user's dispatcher of undici 7 or later: an `Agent`, a `ProxyAgent` or a `MockAgent`. Typed by the only method that
 * is called.
 */
export type UndiciDispatcher = { dispatch(options: never, handler: never): boolean };

/** Makes a sender that sends every request through the user's dispatcher. */
export function dispatcherSender(dispatcher: UndiciDispatcher): HttpSender {
  return { send: (url, init) => sendOver(dispatcher, url, init) };
}

/** Addresses of proxies: one proxy for all requests, or the proxies that the environment names. */
export type ProxyAddresses =
  | string
  | {
      readonly httpProxy: string | undefined;
      readonly httpsProxy: string | undefined;
      readonly noProxy: string | undefined;
    };

/** Sender through proxies. `close` ends its connections, including connections in use. */
export interface ProxySender extends HttpSender {
  close(): Promise<void>;
}

/** Makes a sender that sends its requests through proxies and reuses connections. Loads undici on the first request. */
export function proxySender(proxies: ProxyAddresses): ProxySender {
  let agent: Promise<Dispatcher> | undefined;
  return {
    send: async (url, init) => {
      agent ??= openAgent(proxies);
      return await sendOver(await agent, url, init);
    },
    close: async () => await (await agent)?.destroy(),
  };
}

const agentOptions = { allowH2: false, headersTimeout: 60_000, bodyTimeout: 60_000, keepAliveTimeout: 30_000 };

async function openAgent(proxies: ProxyAddresses): Promise<Dispatcher> {
  const { EnvHttpProxyAgent, ProxyAgent } = await loadUndici();
  if (typeof proxies === "string") return new ProxyAgent({ ...agentOptions, uri: proxies });
  const { httpProxy = "", httpsProxy = "", noProxy = "" } = proxies;
  // A proxy that is not set is passed as an empty string, because undici reads a missing option from the environment.
  return new EnvHttpProxyAgent({ ...agentOptions, httpProxy, httpsProxy: httpsProxy || httpProxy, noProxy });
}
