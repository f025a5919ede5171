import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { Telemetry } from "../../base/telemetry/telemetry.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { answerFound, RouteTable } from "../routes/route-table.ts";
import type { FoundRoute } from "../routes/route-table.ts";
import type { Protocol } from "./protocol.ts";
import type { Service } from "./service.ts";

/** Media types of a body that a page may send to another site without a CORS preflight. */
const simpleTypes = /^\s*(?:application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)?\s*(?:;|$)/i;

/** A request that passed the checks of its source, and its route, if any matches its path. */
export type Admitted = { readonly found: FoundRoute | undefined };

/** The routes of all protocols of a server. Answers exchanges, including with errors, and never throws. */
export class ServedRoutes {
  readonly #service: Service;
  readonly #table = new RouteTable();

  /** Throws `invalid_config` for protocols that answer the same method and path. */
  constructor(service: Service, protocols: readonly Protocol[]) {
    this.#service = service;
    for (const protocol of protocols) this.#table.add(protocol.name, protocol.routes(service, protocols));
  }

  /**
   * Returns the route of a request. Returns undefined if the request was refused because of its source: it was sent to
   * a host outside `allowedHosts`, or by a page of another site without a CORS preflight.
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

  /** Answers a request by its route, after signing in its user. */
  answer(exchange: Exchange, found: FoundRoute): void {
    exchange.protocol = found.protocol;
    const { telemetry } = this.#service.settings;
    if (telemetry !== undefined) exchange.onStream = () => countStream(telemetry, exchange);
    // Any client may ask for the methods of a path without signing in. If a route has one handler for all methods, that
    // handler answers OPTIONS, after signing in.
    const asksMethods = exchange.method === "OPTIONS" && found.handler !== found.route.all;
    const isOpen = found.route.isPublic === true || asksMethods;
    if (isOpen || this.#service.settings.authenticate === undefined) answerFound(exchange, found);
    else void this.#answerSignedIn(exchange, found);
  }

  async #answerSignedIn(exchange: Exchange, found: FoundRoute): Promise<void> {
    try {
      exchange.signIn(await this.#service.authenticate(exchange));
    } catch (error) {
      // HTTP requires this header in answers with status 401. Browsers open no login window for this scheme.
      if (TroupeError.is(error) && error.code === "unauthorized") exchange.setHeader("WWW-Authenticate", "Bearer");
      return fail(error, exchange, found);
    }
    answerFound(exchange, found);
  }
}

/** Counts an open event stream until its exchange is over. */
function countStream(telemetry: Telemetry, exchange: Exchange): void {
  telemetry.measure("stream", { by: 1 });
  exchange.onClose(() => telemetry.measure("stream", { by: -1 }));
}

/** Answers with an error in the form of the matching route's protocol. */
function fail(error: unknown, exchange: Exchange, found: FoundRoute | undefined): void {
  if (found?.route.fail === undefined) exchange.fail(error);
  else found.route.fail(error, exchange);
}

function isSimple({ method, headers }: Exchange): boolean {
  return method === "POST" && simpleTypes.test(headers["content-type"] ?? "");
}
