import type { HostName } from "@troupe-internal/web-servers";

/** Tests that fail on servers, by what the servers do. `tests` are parts of their names, each with how many fail by it. */
export type Gap = {
  readonly servers: readonly HostName[];
  readonly reason: string;
  readonly tests: Readonly<Record<string, number>>;
};

const onFastify = ["fastify", "fastify-middie"] as const;
const onHonoServer = ["hono-node-server", "hono-app-node-server"] as const;

/**
 * The features that servers lack. Each gap was confirmed to be the server's own behaviour; a gap that is closed is
 * reported.
 */
export const gaps: readonly Gap[] = [
  {
    servers: onFastify,
    reason: "Fastify answers a path with a broken escape by itself",
    tests: {
      "answers GET /runs/%zz with the error that it throws": 1,
      "if no route serves it, whatever the method and the host's pages": 5,
      "a path below those of a service with a broken escape": 2,
      "a request to an agent, team or workflow named": 5,
      "translates broken paths, and shows messages": 1,
    },
  },
  {
    servers: onFastify,
    reason: "Fastify knows no handlers of errors in the form of Connect",
    tests: {
      "shows no stack in a host without an error handler": 3,
      "errorHandler answers errors of the host": 1,
      "errorHandler translates the errors of a body parser": 3,
    },
  },
  {
    servers: ["fastify"],
    reason: "a route of Fastify has no handlers of errors at all",
    tests: { "errorHandler answers a client that sent too much": 1 },
  },
  {
    servers: ["fastify"],
    reason: "a path that no route of Fastify has is answered by Fastify",
    tests: { "is refused where the router is mounted, and reaches the host's own pages": 1, "requestLogger ": 2 },
  },
  {
    servers: onHonoServer,
    reason: "@hono/node-server refuses a request without a Host, or with one that a URL does not have as it is",
    tests: {
      "are not sent before the answer to a client of HTTP/1.0": 1,
      "a form from a page is refused from a user of our host": 1,
      "a form from a page is taken from our own address in IPv6": 1,
      "answers requests to own.example:": 1,
      "answers requests to [0:0::1]": 1,
      "whatever they ask for [http.allowed-hosts]": 7,
      "a router without allowedHosts answers requests to any host": 1,
    },
  },
  {
    servers: ["srvx"],
    reason: "srvx sends the head of a stream with its first bytes",
    tests: { "the head of a stream comes after a second without a chunk": 2 },
  },
  {
    servers: ["srvx"],
    reason: "srvx gives a request another URL if its Host ends with a dot or an empty port",
    tests: {
      "answers requests to own.example. ": 1,
      "answers requests to own.example.:80 ": 1,
      "answers requests to own.example: ": 1,
    },
  },
  {
    servers: ["srvx"],
    reason: "srvx aborts a request whose body was read before it",
    tests: {
      "is read also if the host has called setEncoding": 1,
      "counts as missing if the host has discarded it": 1,
    },
  },
];
