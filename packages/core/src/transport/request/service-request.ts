import type { Principal } from "./principal.ts";

/** A client's request or connection, as the host's own functions get it from every protocol and server. */
export type ServiceRequest = {
  /** The name of the protocol, such as `"http"`, `"a2a"`, `"mcp"` or `"socket"`. */
  readonly protocol: string;
  /** The HTTP method; `"CONNECT"` for a connection that is not an HTTP request. */
  readonly method: string;
  /** The path as the client sent it, without its query. */
  readonly path: string;
  readonly headers: Headers;
  /** The remote address of the connection, or the client's where the server knows it. */
  readonly remoteAddress: string | undefined;
  /** The request as the server has it: of Node, Express or the web, or the socket. */
  readonly native: unknown;
  /** The signed-in user. For `authenticate` the one that the host's own authentication has set, if any. */
  readonly principal: Principal | undefined;
};

/** A request or connection of a protocol, from which the request for the host's functions is made when one is called. */
export type RequestSource = {
  readonly remoteAddress: string | undefined;
  toRequest(): ServiceRequest;
};

/** What a `ServiceRequest` is made of. */
export type RequestFacts = Omit<ServiceRequest, "headers"> & {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
};

/** Makes the headers of a request only if the host's function reads them. */
class LazyRequest implements ServiceRequest {
  readonly protocol: string;
  readonly method: string;
  readonly path: string;
  readonly remoteAddress: string | undefined;
  readonly native: unknown;
  readonly principal: Principal | undefined;
  readonly #sent: RequestFacts["headers"];
  #headers: Headers | undefined;

  constructor({ protocol, method, path, remoteAddress, native, principal, headers }: RequestFacts) {
    this.protocol = protocol;
    this.method = method;
    this.path = path;
    this.remoteAddress = remoteAddress;
    this.native = native;
    this.principal = principal;
    this.#sent = headers;
  }

  get headers(): Headers {
    return (this.#headers ??= toHeaders(this.#sent));
  }
}

/** Makes the request that the host's functions get. */
export function toServiceRequest(facts: RequestFacts): ServiceRequest {
  return new LazyRequest(facts);
}

function toHeaders(sent: RequestFacts["headers"]): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(sent)) {
    // Node lists the pseudo-headers of HTTP/2, such as `:path`, beside the headers.
    if (name.startsWith(":")) continue;
    for (const each of typeof value === "string" ? [value] : (value ?? [])) headers.append(name, each);
  }
  return headers;
}
