import { arrayOf, optional, customOption } from "../../base/errors/option-checks.ts";
import type { OptionTable } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";

/** Options of a server that restrict the origins and hosts of its requests. */
export type RequestSourceOptions = {
  allowedOrigins?: readonly string[] | undefined;
  allowedHosts?: readonly string[] | undefined;
};

/**
 * A host and its parts: `text` in the form in which it was sent, the name alone, and the name with the port if present.
 */
export type ParsedHost = { readonly text: string; readonly hostname: string; readonly host: string };

const origin = customOption<string>('an origin such as "https://app.example.org", without a path', (value) => {
  return typeof value === "string" && parseOrigin(value) !== undefined;
});

const host = customOption<string>(
  'a name or an address such as "example.org", "example.org:8080" or "[::1]"',
  (value) => {
    return typeof value === "string" && parseHost(value) !== undefined;
  },
);

/** Option checks for a server's `allowedOrigins` and `allowedHosts`. */
export const requestSourceOptions: OptionTable<RequestSourceOptions> = {
  allowedOrigins: optional(arrayOf("origins", origin)),
  allowedHosts: optional(arrayOf("hosts", host)),
};

/**
 * The parts of a request that show its host and the page that sent it. An Express router keeps the whole target in
 * `originalUrl`.
 */
export type HostAndOriginRequest = {
  readonly originalUrl?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: SourceHeaders & { readonly host?: string | undefined };
};

/** Checks the source of a server's requests: the host to which a request was sent, and the page that sent it. */
export class HostAndOriginGuard {
  readonly #isAllowedHost: ((sent: ParsedHost | undefined) => boolean) | undefined;
  readonly #isAllowedOrigin: (sent: string) => boolean;

  constructor({ allowedHosts, allowedOrigins }: RequestSourceOptions) {
    this.#isAllowedHost = allowedHosts && createHostCheck(allowedHosts);
    this.#isAllowedOrigin = createOriginCheck(allowedOrigins);
  }

  /** Throws `forbidden` for a host that is not in `allowedHosts`. Without that option any host is accepted. */
  checkHost(request: HostAndOriginRequest): void {
    if (this.#isAllowedHost?.(hostOf(request)) === false) {
      throw forbidden("The host of the request is not one of this service. The option allowedHosts lists its hosts.");
    }
  }

  /** Throws `forbidden` for a page of another site whose origin is not in `allowedOrigins`. */
  checkPage(request: HostAndOriginRequest): void {
    const { headers } = request;
    if (!isFromOtherSite(headers, hostOf(request)) || this.#isAllowedOrigin(headers.origin ?? "")) return;
    throw forbidden(
      "A page of another site sent this request. The option allowedOrigins lists the origins that may send it.",
    );
  }
}

function hostOf({ originalUrl, url = "", headers }: HostAndOriginRequest): ParsedHost | undefined {
  return readRequestHost(originalUrl ?? url, headers.host);
}

function forbidden(message: string): TroupeError {
  return new TroupeError("forbidden", message);
}

/** Makes the check of a request's host against `allowedHosts`. A name without a port matches all ports. */
function createHostCheck(allowedHosts: readonly string[]): (sent: ParsedHost | undefined) => boolean {
  const hosts = new Set(allowedHosts.map((each) => parseHost(each)?.host));
  return (sent) => sent !== undefined && (hosts.has(sent.host) || hosts.has(sent.hostname));
}

/** Makes the check of a header `Origin` against `allowedOrigins`. */
export function createOriginCheck(allowedOrigins: readonly string[] = []): (sent: string) => boolean {
  const origins = new Set(allowedOrigins.map(parseOrigin));
  return (sent) => {
    const read = parseOrigin(sent);
    return read !== undefined && origins.has(read);
  };
}

/**
 * Returns true if a page of another site has sent the request. Browsers send `Sec-Fetch-Site` to trustworthy addresses,
 * and `Origin` with every POST and WebSocket. Other clients send neither header.
 */
export function isFromOtherSite(
  { origin: from, "sec-fetch-site": site }: SourceHeaders,
  own: ParsedHost | undefined,
): boolean {
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  return from !== undefined && !isOriginOfHost(from, own);
}

/** The headers of a request that show which page sent it. */
type SourceHeaders = { readonly origin?: string | undefined; readonly "sec-fetch-site"?: unknown };

/**
 * Returns true if an origin is the origin of the host itself, so that one of the service's own pages sent the request.
 */
export function isOriginOfHost(from: string, own: ParsedHost | undefined): boolean {
  const page = URL.parse(from);
  if (page === null || own === undefined || !/^https?:$/.test(page.protocol)) return false;
  // Behind a proxy that terminates TLS, only one of the two values may contain the default port (443). Parsing both
  // with the same scheme removes it.
  return URL.parse(`${page.protocol}//${own.text}`)?.host === page.host;
}

/**
 * Returns the host that a request was sent to, from its target and its header `Host`. A target that is a whole URL
 * takes precedence over the header, as HTTP specifies. `X-Forwarded-Host` is ignored, because a client may forge it.
 */
export function readRequestHost(target: string, header: string | undefined): ParsedHost | undefined {
  return parseHost(/^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(target)?.[1] ?? header ?? "");
}

/** Returns an origin in a form for comparison; undefined for other values, such as `null`. */
function parseOrigin(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || url.host === "") return undefined;
  // The origin is not taken from `url.origin`, which is null for the schemes of apps and extensions.
  const plain = `${url.protocol}//${url.host}`;
  return url.href === plain || url.href === `${plain}/` ? plain.toLowerCase() : undefined;
}

/** Parses a host with an optional port. A trailing dot does not change the name. */
function parseHost(text: string): ParsedHost | undefined {
  const [, name = "", port = ""] = /^(\[[^\]]*\]|[^\s/\\?#@:*]+)(?::(\d{0,5}))?$/.exec(text) ?? [];
  const hostname = URL.parse(`http://${name}`)?.hostname.replace(/\.$/, "") ?? "";
  return hostname === "" ? undefined : { text, hostname, host: port === "" ? hostname : `${hostname}:${Number(port)}` };
}
