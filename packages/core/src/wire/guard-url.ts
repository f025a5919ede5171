import { isIP } from "node:net";
import { TroupeError } from "../errors/troupe-error.ts";
import { isPrivateAddress } from "./private-address.ts";
import { urlRefusal } from "./url-refusal.ts";

/** The hosts that may be private all the same, as `host:port` in the form that a parsed URL has. */
export type AllowedHosts = ReadonlySet<string>;

/** Reads `allowPrivateHosts`: names or addresses, each with its port. */
export function allowedHosts(hosts: readonly string[]): AllowedHosts {
  return new Set(hosts.map(allowedHost));
}

function allowedHost(host: string): string {
  const url = URL.parse(`http://${host}`);
  const isHostAndPort = url !== null && url.href === `${url.origin}/` && /:\d+$/.test(host);
  if (isHostAndPort) return hostAndPort(url);
  throw new TroupeError("invalid_config", 'allowPrivateHosts must hold host:port entries, such as "localhost:11434".');
}

/** Whether the operator named this very host and port. */
export function isAllowed(url: URL, allowed: AllowedHosts): boolean {
  return allowed.has(hostAndPort(url));
}

function hostAndPort({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port || (protocol === "https:" ? "443" : "80")}`;
}

/**
 * Reads a URL that came from outside, and refuses what may not be fetched. The parser makes one form of every spelling
 * of an address (short, octal, hexadecimal, full-width), so the check sees what the connection would use.
 */
export function guardUrl(address: string | URL, allowed: AllowedHosts): URL {
  const url = URL.parse(String(address));
  if (url === null || !isPlainHttp(url)) throw urlRefusal("not_http");
  const host = bareHost(url);
  if (isIP(host) !== 0 && isPrivateAddress(host) && !isAllowed(url, allowed)) throw urlRefusal("private_address");
  return url;
}

function isPlainHttp({ protocol, username, password }: URL): boolean {
  return (protocol === "http:" || protocol === "https:") && username === "" && password === "";
}

/** The host without the brackets that a URL puts around IPv6. */
function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}
