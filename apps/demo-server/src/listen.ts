import { once } from "node:events";
import type { Server } from "node:http";
import { isIPv6 } from "node:net";
import type { AddressInfo } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import { TroupeError } from "@troupe/core";

type Variables = Readonly<Record<string, string | undefined>>;

/** The address that a server listens on. */
export type Address = { readonly host: string; readonly port: number };

/** Reads HOST and PORT. The default is port 3000, reachable only from this machine. */
export function readAddress({ HOST: host, PORT: port = "" }: Variables): Address {
  if (port === "") return { host: host || "127.0.0.1", port: 3000 };
  if (/^\d+$/.test(port) && Number(port) <= 65_535) return { host: host || "127.0.0.1", port: Number(port) };
  throw new TroupeError("invalid_config", `PORT must be an integer from 0 to 65535, got ${JSON.stringify(port)}.`);
}

/**
 * Returns the host names that requests may use: this machine's own names, HOST, and the comma-separated names in
 * TROUPE_DEMO_HOSTS. A page that makes another name point to this machine gets no answer.
 */
export function readHosts({ HOST: host = "", TROUPE_DEMO_HOSTS: more = "" }: Variables): string[] {
  const isAny = host === "0.0.0.0" || host === "::";
  const addresses = Object.values(isAny ? networkInterfaces() : {}).flatMap((each = []) => each);
  const own = ["localhost", "127.0.0.1", "::1", hostname(), host, ...addresses.map(({ address }) => address)];
  const listed = more.split(",").map((each) => each.trim());
  return [...own.map(bracketed), ...listed].filter((each) => each !== "");
}

/** Returns a host in the form for a URL: an IPv6 address in brackets, without its zone. */
function bracketed(host: string): string {
  return isIPv6(host) ? `[${host.replace(/%.*/, "")}]` : host;
}

/**
 * Returns the name of a server among others: its host and port. A server that listens to every address uses the
 * machine's name instead of the host. A server on any free port uses the process id instead of the port.
 */
export function nodeName({ host, port }: Address): string {
  const isAny = host === "0.0.0.0" || host === "::";
  return `${isAny ? hostname() : bracketed(host)}:${port === 0 ? process.pid : port}`;
}

/** The loopback address for a server that listens to every address. */
const loopbackOf: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/**
 * Starts to listen, and returns the URL of the server. If it listens to every address, the URL is a loopback address.
 */
export async function listen(server: Server, { host, port }: Address): Promise<string> {
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const sentence = `The server cannot listen on port ${port} of ${host}. Set PORT or HOST to another one. (${reason})`;
    throw new TroupeError("unavailable", sentence, { cause: error });
  }
  const { address, port: taken } = server.address() as AddressInfo;
  return `http://${bracketed(loopbackOf[address] ?? address)}:${taken}`;
}
