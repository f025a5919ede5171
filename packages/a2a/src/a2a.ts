import type { Protocol, Route, Service } from "@troupe/core/transport";
import { RestBinding } from "./rest/rest-binding.ts";
import { A2AEndpoint } from "./server/a2a-endpoint.ts";
import { readA2AOptions } from "./server/a2a-options.ts";
import type { A2AOptions, A2ASettings } from "./server/a2a-options.ts";
import { partsOf } from "./server/a2a-parts.ts";
import type { A2AOwner, A2AParts } from "./server/a2a-parts.ts";
import { cardHandler, cardRoutes, keysRoute } from "./server/card-routes.ts";
import { rpcBinding } from "./server/rpc-binding.ts";

/**
 * Makes the protocol that serves agents and teams to A2A clients, in the versions 0.2, 0.3 and 1.0: over JSON-RPC and,
 * for 1.0, HTTP+JSON. Agents come before teams; a message that names no agent goes to the first agent. Workflows are
 * not served. Throws `invalid_config` for a wrong option.
 */
export function a2a(options: A2AOptions = {}): Protocol {
  return createProtocol(readA2AOptions(options, "a2a"), { owner: "a2a" });
}

/** Makes the protocol from checked options. */
export function createProtocol(settings: A2ASettings, owner: A2AOwner): Protocol {
  // The routes of each service. All servers of one service share them, so that the service sends each push notification
  // only once, signed by one key.
  const made = new WeakMap<Service, Route[]>();
  return {
    name: "a2a",
    routes(service) {
      const routes = made.get(service) ?? routesOf(partsOf(service, settings, owner));
      made.set(service, routes);
      return routes;
    },
  };
}

function routesOf(parts: A2AParts): Route[] {
  const { settings, runs, push } = parts;
  const base = settings.basePath === "/" ? "" : settings.basePath;
  const agentPath = `${base}/agents/:agent`;
  // Requests for agents that the service does not have go to the next handler, because the host's app may have routes
  // below the same path.
  const serves: Serves = ({ agent }) => agent === undefined || runs.agents.has(agent);
  return [
    ...["", agentPath].flatMap((path) => cardRoutes(parts, path, serves)),
    ...[settings.basePath, agentPath].flatMap((path) => rpcRoutes(parts, path, serves)),
    ...[`${base}/rest`, `${agentPath}/rest`].flatMap((path) => restRoutes(parts, path, serves)),
    ...(push === undefined ? [] : [keysRoute(push)]),
  ];
}

/**
 * Makes the routes of a JSON-RPC endpoint. A GET of the same path returns the agent card: of all agents, or of the
 * agent in the path. The GET of a browser goes to the next handler instead, because the app that mounts the service may
 * have a page at this path.
 */
function rpcRoutes(parts: A2AParts, path: string, serves: Serves): Route[] {
  const { serve, fail } = new A2AEndpoint(parts, rpcBinding);
  const servesHere: Serves = (params, request) => serves(params, request) && !isBrowser(request);
  return [
    { path, get: cardHandler(parts), isPublic: true, serves: servesHere },
    { path, post: serve, fail, serves: servesHere },
  ];
}

/**
 * Makes the routes of the HTTP+JSON binding. They accept all HTTP methods, because in this binding the method is part
 * of the operation's name.
 */
function restRoutes(parts: A2AParts, path: string, serves: Serves): Route[] {
  const { serve, fail } = new A2AEndpoint(parts, new RestBinding(path));
  return [path, `${path}/*`].map((each) => ({ path: each, all: serve, fail, serves }));
}

type Serves = NonNullable<Route["serves"]>;

function isBrowser({ method, headers }: Parameters<Serves>[1]): boolean {
  return (method === "GET" || method === "HEAD") && headers.accept?.includes("text/html") === true;
}
