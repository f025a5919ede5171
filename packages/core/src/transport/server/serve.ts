import { once } from "node:events";
import type { Server, ServerOptions } from "node:http";
import type { Server as SecureServer, ServerOptions as SecureServerOptions } from "node:https";
import type { AddressInfo } from "node:net";
import { integerOption, optional, customOption, stringOption } from "../../base/errors/option-checks.ts";
import { readOptions } from "../../base/errors/read-options.ts";
import type { OptionCheck, OptionTable } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { ipVersion } from "../../base/util/ip-version.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { NodeExchange } from "../exchange/node-exchange.ts";
import type { Protocol } from "../service/protocol.ts";
import type { Service } from "../service/service.ts";
import { nothingFound } from "./create-handler.ts";
import { createNodeHandler } from "./create-router.ts";

/** Options of {@link serve}. */
export type ServeOptions = {
  /** The port, also as a string of digits from an environment variable; 0 picks any free port. @default 3000 */
  port?: number | string | undefined;
  /** The host name or address to listen on. @default all addresses of the machine */
  host?: string | undefined;
  /** Options of Node's HTTPS server, such as `key` and `cert`. @default plain HTTP */
  tls?: SecureServerOptions | undefined;
  /** Further options of Node's HTTP server, such as `maxHeaderSize`. */
  http?: ServerOptions | undefined;
};

/** A listening server. It closes with its service. */
export type ServedServer = {
  /** Node's server, for libraries that share it, such as Socket.IO. */
  readonly server: Server | SecureServer;
  /** The URL of the server for clients on this machine. */
  readonly url: string;
};

const portNumber = integerOption(0, 65_535);

const portOption: OptionCheck<number> = (value, name, where) =>
  portNumber(typeof value === "string" && /^\d{1,5}$/.test(value) ? Number(value) : value, name, where);

const record = customOption<object>("an object", isRecord);

const serveOptions = {
  port: optional(portOption, 3000),
  host: optional(stringOption),
  tls: optional(record as (...given: Parameters<typeof record>) => SecureServerOptions),
  http: optional(record as (...given: Parameters<typeof record>) => ServerOptions),
} satisfies OptionTable<ServeOptions>;

/**
 * Serves a service over these protocols on Node's own HTTP server. Resolves once it listens. Rejects with
 * `unavailable` if the port is taken. Throws `invalid_config` for a wrong option, and for protocols that answer the
 * same path.
 */
export async function serve(
  service: Service,
  protocols: readonly Protocol[],
  options: ServeOptions = {},
): Promise<ServedServer> {
  const { port, host, tls, http } = readOptions(serveOptions, options, { owner: "serve" });
  const answer = createNodeHandler(service, protocols, []);
  const server = await makeServer(http, tls);
  server.on("request", (request, response) => {
    answer(request, response, () => new NodeExchange(request, response, service.logger).fail(nothingFound()));
  });
  service.attach(server);
  const url = await listen(server, { port, host, protocol: tls === undefined ? "http" : "https" });
  // The service is opened only once the port is bound: otherwise a second server of the same program would start to
  // perform the same runs before it fails.
  try {
    await service.open();
  } catch (error) {
    server.close();
    server.closeAllConnections();
    throw error;
  }
  return { server, url };
}

/**
 * Makes a server of Node. The modules are imported only here, because `node:http` also loads Node's `fetch`, which a
 * program with a server of its own may not need.
 */
async function makeServer(http: ServerOptions = {}, tls?: SecureServerOptions): Promise<Server | SecureServer> {
  if (tls === undefined) return (await import("node:http")).createServer({ ...http });
  return (await import("node:https")).createServer({ ...http, ...tls });
}

/** The loopback address for a server that listens on every address. */
const loopbackOf: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "[::1]" };

async function listen(
  server: Server | SecureServer,
  { port, host, protocol }: { port: number; host: string | undefined; protocol: string },
): Promise<string> {
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const sentence = `The server cannot listen on port ${port}${host === undefined ? "" : ` of ${host}`}. Choose another port or host. (${reason})`;
    throw new TroupeError("unavailable", sentence, { cause: error });
  }
  const { address, port: taken } = server.address() as AddressInfo;
  return `${protocol}://${loopbackOf[address] ?? (ipVersion(address) === 6 ? `[${address}]` : address)}:${taken}`;
}
