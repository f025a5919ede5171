import type { Principal } from "./principal.ts";

/**
 * A client's request or connection, in the form that the host's own functions receive from every protocol and server.
 */
export type ServiceRequest = {
  /** The name of the protocol, such as `"http"`, `"a2a"`, `"mcp"` or `"socket"`. */
  readonly protocol: string;
  /** The HTTP method; `"CONNECT"` for a connection that is not an HTTP request. */
  readonly method: string;
  /** The path sent by the client, without its query. */
  readonly path: string;
  readonly headers: Headers;
  /** The remote address of the connection, or the client's address if the server knows it. */
  readonly remoteAddress: string | undefined;
  /** The request object of the server (Node, Express or web-standard), or the socket. */
  readonly native: unknown;
  /** The signed-in user. For `authenticate`, the user set by the host's own authentication, if any. */
  readonly principal: Principal | undefined;
};

/**
 * A request or connection of a protocol, which can be converted to a `ServiceRequest` when one of the host's
 * functions is called.
 */
export type RequestSource = {
  readonly remoteAddress: string | undefined;
  toRequest(): ServiceRequest;
};

/** The facts from which a `ServiceRequest` is made. */
export type RequestFacts = Omit<ServiceRequest, "headers"> & {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
};

/** A `ServiceRequest` whose headers are converted when the host's function first reads them. */
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

/** Makes the request object that the host's functions receive. */
export function toServiceRequest(facts: RequestFacts): ServiceRequest {
  return new LazyRequest(facts);
}

function toHeaders(sent: RequestFacts["headers"]): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(sent)) {
    // HTTP/2 pseudo-headers such as `:path` are listed among Node's headers, but are not headers.
    if (name.startsWith(":")) continue;
    for (const each of typeof value === "string" ? [value] : (value ?? [])) headers.append(name, each);
  }
  return headers;
}
