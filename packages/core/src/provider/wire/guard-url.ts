import type { LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import { arrayOf, customOption } from "../../base/errors/option-checks.ts";
import type { OptionCheck } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { ipVersion } from "../../base/util/ip-version.ts";
import { bareHost, isPrivateAddress, isPrivateUrl } from "./private-address.ts";

/** The reason why a URL from outside is not fetched: the field `reason` of the error. */
export type UrlRefusalReason =
  | "not_http"
  | "private_address"
  | "too_many_redirects"
  | "redirected_body"
  | "too_large"
  | "unreachable";

const sentences: Readonly<Record<UrlRefusalReason, string>> = {
  not_http: "url must be an absolute http: or https: address without a user name or password.",
  private_address: "url leads to an address that is not public. Add its host:port to allowPrivateHosts to allow it.",
  too_many_redirects: "url is redirected more often than maxRedirects allows.",
  redirected_body: "url redirects a request with a body to another origin, which is not followed.",
  too_large: "url holds more bytes than maxBytes allows.",
  unreachable: "url cannot be fetched. Its server cannot be reached, or the connection broke off.",
};

/** Makes the error `invalid_request` of a rejected URL. It shows neither the URL nor any data from a server. */
export function refusedUrlError(reason: UrlRefusalReason, cause?: unknown): TroupeError {
  return new TroupeError("invalid_request", sentences[reason], { cause, fields: { reason } });
}

/** Set of the private hosts that a guarded fetch may reach, as `host:port` in the form of a parsed URL. */
export type AllowedPrivateHosts = ReadonlySet<string>;

const hostAndPortName = customOption<string>('a host and port, like "localhost:11434"', (value) => {
  if (typeof value !== "string") return false;
  const url = URL.parse(`http://${value}`);
  return url !== null && url.href === `${url.origin}/` && /:\d+$/.test(value);
});

/** Option check for `allowPrivateHosts` of `createGuardedFetch`: an array of names or addresses, each with its port. */
export const allowPrivateHostsOption: OptionCheck<string[]> = arrayOf("hosts with their ports", hostAndPortName);

/** Converts the hosts of the option `allowPrivateHosts` to the form of a parsed URL, for comparison with URLs. */
export function toAllowedPrivateHosts(hosts: readonly string[]): AllowedPrivateHosts {
  return new Set(hosts.map((host) => hostAndPort(new URL(`http://${host}`))));
}

/**
 * Returns true if the option `allowPrivateHosts` contains the host and port of this URL. A public host needs no
 * permission.
 */
export function isAllowedPrivateHost(url: URL, allowed: AllowedPrivateHosts): boolean {
  return allowed.has(hostAndPort(url));
}

function hostAndPort({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port || (protocol === "https:" ? "443" : "80")}`;
}

/**
 * Parses a URL from outside. Throws `invalid_request` for a URL that may not be fetched. Parsing normalizes every
 * spelling of an address (short, octal, hexadecimal, full-width), so that the check sees the address that the
 * connection would use.
 */
export function guardUrl(address: string | URL, allowed: AllowedPrivateHosts): URL {
  const url = URL.parse(String(address));
  if (url === null || !isPlainHttp(url)) throw refusedUrlError("not_http");
  const host = bareHost(url);
  if (ipVersion(host) !== 0 && isPrivateAddress(host) && !isAllowedPrivateHost(url, allowed))
    throw refusedUrlError("private_address");
  return url;
}

function isPlainHttp({ protocol, username, password }: URL): boolean {
  return (protocol === "http:" || protocol === "https:") && username === "" && password === "";
}

/**
 * Resolves a host name with the operating system. `node:dns` is not imported statically: the import would slow the
 * start of every program that imports core.
 */
export const systemLookup: LookupFunction = (hostname, options, callback) => {
  process.getBuiltinModule("node:dns").lookup(hostname, options, callback);
};

/**
 * Makes a lookup that fails if any address of a name is not public. The connection uses the checked addresses, so a
 * name that resolves differently the second time (DNS rebinding) cannot bypass the check.
 */
export function guardLookup(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, answer, family) => {
      // A failed lookup returns no addresses.
      const addresses = error === null ? toAddresses(answer, family) : [];
      const [first] = addresses;
      if (error !== null) callback(error, "");
      else if (first === undefined || addresses.some(({ address }) => isPrivateAddress(address))) {
        callback(refusedUrlError("private_address"), "");
      } else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** The function that looks up names, and the private hosts that may be reached. */
type HostRules = { readonly allowed: AllowedPrivateHosts; readonly lookup: LookupFunction };

/**
 * Returns true if the host of a URL is private, by its name or by its current addresses. Returns false for a host in
 * `allowed`, and for a name whose lookup fails, because the guarded fetch looks it up again.
 */
export async function leadsToPrivateHost(url: URL, { allowed, lookup }: HostRules): Promise<boolean> {
  if (isAllowedPrivateHost(url, allowed)) return false;
  if (isPrivateUrl(url)) return true;
  const host = bareHost(url);
  if (ipVersion(host) !== 0) return false;
  const error = await new Promise<unknown>((resolve) => {
    guardLookup(lookup)(host, { all: true }, resolve);
  }).catch((thrown: unknown) => thrown);
  return TroupeError.is(error) && error.fields["reason"] === "private_address";
}

/** Normalizes a lookup's answer, which may be a single address although all addresses were requested. */
function toAddresses(answer: string | LookupAddress[], family: number | undefined): LookupAddress[] {
  if (typeof answer !== "string") return answer;
  return answer === "" ? [] : [{ address: answer, family: family ?? 0 }];
}
