import type { IncomingHttpHeaders } from "node:http";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { setOwn } from "../../base/util/set-own.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { methods } from "./route.ts";
import type { Route, RouteHandler } from "./route.ts";

/** A route, with the name of its protocol. */
type OwnedRoute = {
  readonly route: Route;
  readonly protocol: string;
  /** The path parameters: the name of each, and its place among the segments of the path. */
  readonly parameters: readonly { readonly name: string; readonly at: number }[];
};

/** The name of a route's handler for each method. HEAD is answered as GET. */
const handlerNames: ReadonlyMap<string, (typeof methods)[number]> = new Map([
  ...methods.map((name) => [name.toUpperCase(), name] as const),
  ["HEAD", "get"],
]);

/** A node in the tree of all paths: the child nodes, and the routes whose path ends here. */
type Place = { readonly named: Map<string, Place>; any?: Place; rest?: Place; readonly routes: OwnedRoute[] };

/** A route that matches a path, with the values of its parameters. */
type ServedRoute = OwnedRoute & {
  /** The decoded path parameters, or the error of a path that cannot be decoded. */
  readonly params: Readonly<Record<string, string>> | URIError;
};

/** The route of a request, its parameters, and its handler for the request's method. */
export type FoundRoute = ServedRoute & { readonly handler: RouteHandler };

/**
 * The routes of all protocols of a service. A path is found in one walk, regardless of the number of routes. As in
 * Express, case does not matter, and a trailing slash is allowed.
 */
export class RouteTable {
  readonly #root: Place = makePlace();

  /**
   * Adds the routes of a protocol. Throws `invalid_config` if another route has a handler for the same method and
   * path.
   */
  add(protocol: string, routes: readonly Route[]): this {
    for (const route of routes) {
      let place = this.#root;
      const segments = segmentsOf(route.path);
      for (const segment of segments) place = goOn(place, segment);
      const owned = { route, protocol, parameters: parametersOf(segments) };
      for (const other of place.routes) checkApart(other, owned);
      place.routes.push(owned);
    }
    return this;
  }

  /**
   * Returns the route of a request; undefined if no route matches its path. A named segment takes precedence over a
   * parameter, and a parameter over a trailing `*`. If the matching route has no handler for the method, the result has
   * a handler that refuses the request.
   */
  find(path: string, method: string, headers: IncomingHttpHeaders = {}): FoundRoute | undefined {
    // The target of `OPTIONS *`, and the path of a request outside the mount path, have no slash at the start.
    if (!path.startsWith("/")) return undefined;
    const served = findFrom(this.#root, 0, { segments: segmentsOf(path), method, headers });
    const [first] = served;
    if (first === undefined) return undefined;
    const name = handlerNames.get(method);
    for (const each of served) {
      const handler = (name && each.route[name]) ?? each.route.all;
      if (handler !== undefined) return { ...each, handler };
    }
    const allowed = allowedBy(served.map(({ route }) => route));
    return { ...first, handler: (exchange) => refuseMethod(exchange, allowed) };
  }
}

/**
 * Answers a request by its route. HEAD is answered as GET. For a method without a handler the answer is 405, and for
 * OPTIONS 204, with the allowed methods in the header `Allow`.
 */
export function answerFound(exchange: Exchange, { route, handler, params }: FoundRoute): void {
  const fail = (error: unknown): void =>
    route.fail === undefined ? exchange.fail(error) : route.fail(error, exchange);
  try {
    // The log shows a path that cannot be decoded in the form in which it was sent, instead of the route's path.
    if (params instanceof URIError) throw params;
    exchange.record.route = exchange.basePath + route.path;
    exchange.params = params;
    handler(exchange)?.catch(fail);
  } catch (error) {
    fail(error);
  }
}

/** A request for which routes are searched: the segments of its path, its method and its headers. */
type Wanted = {
  readonly segments: readonly string[];
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
};

function paramsOf({ parameters }: OwnedRoute, { segments }: Wanted): Record<string, string> | URIError {
  const params: Record<string, string> = {};
  try {
    for (const { name, at } of parameters) setOwn(params, name, decodeURIComponent(segments[at] ?? ""));
    return params;
  } catch (error) {
    if (error instanceof URIError) return error;
    throw error;
  }
}

/**
 * Returns the matching routes of the first node below this node that has matching routes; empty if there are none.
 *
 * @param depth the number of segments that lead to the node
 */
function findFrom(place: Place, depth: number, wanted: Wanted): readonly ServedRoute[] {
  const segment = wanted.segments[depth];
  if (segment === undefined) return servedAt(place, wanted);
  const named = place.named.get(segment.toLowerCase());
  if (named !== undefined) {
    const found = findFrom(named, depth + 1, wanted);
    if (found.length > 0) return found;
  }
  if (place.any !== undefined && segment !== "") {
    const found = findFrom(place.any, depth + 1, wanted);
    if (found.length > 0) return found;
  }
  return place.rest === undefined ? [] : servedAt(place.rest, wanted);
}

/** Returns the routes of a node that match a request. If the path cannot be decoded, all routes of the node match. */
function servedAt({ routes }: Place, wanted: Wanted): readonly ServedRoute[] {
  return routes.flatMap((owned) => {
    const params = paramsOf(owned, wanted);
    const isServed = params instanceof URIError || owned.route.serves?.(params, wanted) !== false;
    return isServed ? [{ ...owned, params }] : [];
  });
}

function goOn(place: Place, segment: string): Place {
  if (segment === "*") return (place.rest ??= makePlace());
  if (isParameter(segment)) return (place.any ??= makePlace());
  const name = segment.toLowerCase();
  const next = place.named.get(name) ?? makePlace();
  place.named.set(name, next);
  return next;
}

/** Throws if two routes of one node have a handler for the same method. */
function checkApart(one: OwnedRoute, other: OwnedRoute): void {
  const shared = methods.find((name) => handles(one.route, name) && handles(other.route, name));
  if (shared === undefined) return;
  const isAll = one.route.all !== undefined && other.route.all !== undefined;
  const method = isAll ? "all methods of" : shared.toUpperCase();
  const message = `${one.protocol} and ${other.protocol} both answer ${method} ${other.route.path}. Give one of them another path.`;
  throw new TroupeError("invalid_config", message);
}

function handles(route: Route, method: (typeof methods)[number]): boolean {
  return route[method] !== undefined || route.all !== undefined;
}

function allowedBy(routes: readonly Route[]): string {
  const allowed = methods.filter((name) => routes.some((route) => route[name] !== undefined));
  const names = allowed.map((name) => name.toUpperCase());
  return [...names, ...(allowed.includes("get") ? ["HEAD"] : []), "OPTIONS"].join(", ");
}

function refuseMethod(exchange: Exchange, allowed: string): void {
  exchange.setHeader("Allow", allowed);
  if (exchange.method === "OPTIONS") exchange.sendEmpty();
  else throw wrongMethod(`${exchange.method} is not allowed on this path. Expected ${allowed}.`);
}

/** Makes the error for status 405. No error code has that status, so the error has the form of Express's errors. */
function wrongMethod(message: string): Error {
  return Object.assign(new Error(message), { status: 405, expose: true });
}

function segmentsOf(path: string): string[] {
  const segments = path.split("/").slice(1);
  if (segments.at(-1) === "") segments.pop();
  return segments;
}

function parametersOf(segments: readonly string[]): OwnedRoute["parameters"] {
  return segments.flatMap((segment, at) => (isParameter(segment) ? [{ name: segment.slice(1), at }] : []));
}

function isParameter(segment: string): boolean {
  return segment.startsWith(":");
}

function makePlace(): Place {
  return { named: new Map(), routes: [] };
}
