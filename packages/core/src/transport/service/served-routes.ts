import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { Telemetry } from "../../base/telemetry/telemetry.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { answerFound, RouteTable } from "../routes/route-table.ts";
import type { FoundRoute } from "../routes/route-table.ts";
import type { Protocol } from "./protocol.ts";
import type { Service } from "./service.ts";

/** Media types of a body that a page may send to another site without a CORS preflight. */
const simpleTypes = /^\s*(?:application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)?\s*(?:;|$)/i;

/** A request that may be answered, and its route, if anything is served at its path. */
export type Admitted = { readonly found: FoundRoute | undefined };

/** The routes of all protocols of a server, for its exchanges. Errors are answered, and never thrown. */
export class ServedRoutes {
  readonly #service: Service;
  readonly #table = new RouteTable();

  /** Throws `invalid_config` for protocols that answer the same method and path. */
  constructor(service: Service, protocols: readonly Protocol[]) {
    this.#service = service;
    for (const protocol of protocols) this.#table.add(protocol.name, protocol.routes(service, protocols));
  }

  /**
   * Returns the route of a request. Returns undefined for a request that was refused for where it comes from: for a host
   * outside `allowedHosts`, or a page of another site that needed no CORS preflight.
   */
  admit(exchange: Exchange): Admitted | undefined {
    const found = this.#table.find(exchange.path, exchange.method, exchange.headers);
    const { guard } = this.#service;
    try {
      guard.checkHost(exchange);
      if (found !== undefined && isSimple(exchange)) guard.checkPage(exchange);
      return { found };
    } catch (error) {
      fail(error, exchange, found);
      return undefined;
    }
  }

  /** Answers a request by its route, after it has signed in its user. */
  answer(exchange: Exchange, found: FoundRoute): void {
    exchange.protocol = found.protocol;
    const { telemetry } = this.#service.settings;
    if (telemetry !== undefined) exchange.onStream = () => countStream(telemetry, exchange);
    // Anyone may ask for the methods of a path. A handler of all methods answers OPTIONS by itself, for a user as always.
    const asksMethods = exchange.method === "OPTIONS" && found.handler !== found.route.all;
    const isOpen = found.route.isPublic === true || asksMethods;
    if (isOpen || this.#service.settings.authenticate === undefined) answerFound(exchange, found);
    else void this.#answerSignedIn(exchange, found);
  }

  async #answerSignedIn(exchange: Exchange, found: FoundRoute): Promise<void> {
    try {
      exchange.signIn(await this.#service.authenticate(exchange));
    } catch (error) {
      // HTTP wants to be told how to sign in. A browser opens no window for this way.
      if (TroupeError.is(error) && error.code === "unauthorized") exchange.setHeader("WWW-Authenticate", "Bearer");
      return fail(error, exchange, found);
    }
    answerFound(exchange, found);
  }
}

/** Counts an open stream of events until its exchange is over. */
function countStream(telemetry: Telemetry, exchange: Exchange): void {
  telemetry.measure("stream", { by: 1 });
  exchange.onClose(() => telemetry.measure("stream", { by: -1 }));
}

/** Answers with an error in the form of the protocol whose route was found. */
function fail(error: unknown, exchange: Exchange, found: FoundRoute | undefined): void {
  if (found?.route.fail === undefined) exchange.fail(error);
  else found.route.fail(error, exchange);
}

function isSimple({ method, headers }: Exchange): boolean {
  return method === "POST" && simpleTypes.test(headers["content-type"] ?? "");
}
