import { TroupeError } from "@troupe/core";
import { arrayOf, optional, satisfying } from "@troupe/core/adapter";
import type { OptionTable } from "@troupe/core/adapter";
import type { Request } from "express";
import type { RouterOptions } from "./router-options.ts";

/** The options that the guard reads. */
type GuardOptions = Pick<RouterOptions, "allowedOrigins" | "allowedHosts">;

const origin = satisfying<string>('an origin such as "https://app.example.org", without a path', (value) => {
  return typeof value === "string" && toOrigin(value) !== undefined;
});

const host = satisfying<string>(
  'a name or an address such as "example.org", "example.org:8080" or "[::1]"',
  (value) => {
    return typeof value === "string" && toHost(value) !== undefined;
  },
);

/** The checks of the router's options `allowedOrigins` and `allowedHosts`. */
export const guardOptions: OptionTable<GuardOptions> = {
  allowedOrigins: optional(arrayOf("origins", origin)),
  allowedHosts: optional(arrayOf("hosts", host)),
};

/** Paths below which the router takes requests that change something. */
const guardedPaths = /^\/(?:agents|teams|workflows|runs|sessions)(?:\/|$)/i;

/** Types of a body that a page may send to another site without a preflight. */
const simpleTypes = /^\s*(?:application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)?\s*(?:;|$)/i;

/**
 * Makes the check of each request before anything else sees it. It throws `forbidden` for a host that is not in
 * `allowedHosts`, and for what a browser sends from another site's page without asking first, unless its origin is in
 * `allowedOrigins`.
 */
export function createRequestGuard({ allowedOrigins = [], allowedHosts }: GuardOptions): (request: Request) => void {
  const origins = new Set(allowedOrigins.map(toOrigin));
  const hosts = allowedHosts && new Set(allowedHosts.map((each) => toHost(each)?.host));
  return (request) => {
    if (hosts !== undefined && !isOwnHost(request, hosts)) {
      throw forbidden("The host of the request is not one of this service. The option allowedHosts lists its hosts.");
    }
    if (request.method !== "POST" || !simpleTypes.test(request.headers["content-type"] ?? "")) return;
    if (!isFromElsewhere(request) || !guardedPaths.test(request.path)) return;
    if (origins.has(toOrigin(request.headers.origin ?? ""))) return;
    throw forbidden(
      "A page of another site sent this request. The option allowedOrigins lists the origins that may send it.",
    );
  };
}

function isOwnHost(request: Request, hosts: ReadonlySet<string | undefined>): boolean {
  const own = toHost(hostOf(request));
  return own !== undefined && (hosts.has(own.host) || hosts.has(own.hostname));
}

/** Browsers send `Sec-Fetch-Site` to trustworthy addresses, and `Origin` with every POST. Other clients send neither. */
function isFromElsewhere(request: Request): boolean {
  const { origin: from, "sec-fetch-site": site } = request.headers;
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  return from !== undefined && !isOwnOrigin(from, toHost(hostOf(request)));
}

function isOwnOrigin(from: string, own: Host | undefined): boolean {
  const page = URL.parse(from);
  if (page === null || own === undefined || !/^https?:$/.test(page.protocol)) return false;
  // The port that a proxy ended TLS at may be left out of one and stand in the other.
  return URL.parse(`${page.protocol}//${own.text}`)?.host === page.host;
}

/** A target in absolute form replaces the header `Host`, as HTTP says. `X-Forwarded-Host` is a claim of the client. */
function hostOf({ originalUrl, headers }: Request): string {
  return /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(originalUrl)?.[1] ?? headers.host ?? "";
}

/** Returns an origin in the form in which origins are compared, undefined for anything else, such as `null`. */
function toOrigin(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || url.host === "") return undefined;
  // Not `url.origin`, which is null for the schemes of apps and extensions.
  const plain = `${url.protocol}//${url.host}`;
  return url.href === plain || url.href === `${plain}/` ? plain.toLowerCase() : undefined;
}

type Host = { text: string; hostname: string; host: string };

/** Parses a host with an optional port. A name that ends in a dot is the same name. */
function toHost(text: string): Host | undefined {
  const [, name = "", port = ""] = /^(\[[^\]]*\]|[^\s/\\?#@:*]+)(?::(\d{0,5}))?$/.exec(text) ?? [];
  const hostname = URL.parse(`http://${name}`)?.hostname.replace(/\.$/, "") ?? "";
  return hostname === "" ? undefined : { text, hostname, host: port === "" ? hostname : `${hostname}:${Number(port)}` };
}

function forbidden(message: string): TroupeError {
  return new TroupeError("forbidden", message);
}
