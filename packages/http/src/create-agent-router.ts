import { createRouter, createService } from "@troupe/core/service";
import type { NodeHandler, ServiceOptions } from "@troupe/core/service";
import { arrayOf, functionOption, optional } from "@troupe/core/kit";
import { checkShortFormOptions } from "@troupe/core/transport";
import type { Service } from "@troupe/core/transport";
import type { RequestHandler } from "express";
import { http } from "./http.ts";
import { shortFormNames } from "./settings/http-options.ts";
import type { HttpOptions } from "./settings/http-options.ts";

/** Options of {@link createAgentRouter}: the options of a service and of HTTP, and the host's middleware. */
export type RouterOptions = ServiceOptions &
  HttpOptions & {
    /** Handlers that run before the router, for every request except `/health` and `/ready`. */
    middleware?: readonly RequestHandler[] | undefined;
  };

/** The router: a request handler for Node, with the service that it serves. */
export type AgentRouter = NodeHandler & {
  /** The service, for closing it, or for serving it over further protocols. */
  readonly service: Service;
};

const middlewareOption = optional(arrayOf("request handlers", functionOption<RequestHandler>()), []);

/**
 * Makes the handler that serves the registered agents, teams and workflows over HTTP, with sessions, health and, if
 * `swagger` is given, docs. Express mounts it with `app.use`. It is short for `createRouter` over a service with these
 * options. It answers errors as JSON without a stack trace, even if the host has no error handler. Throws
 * `invalid_config` for a wrong option.
 */
export function createAgentRouter(options: RouterOptions = {}): AgentRouter {
  const owner = "createAgentRouter";
  checkShortFormOptions(options, shortFormNames, owner);
  const { swagger, fileUpload, middleware, ...shared } = options;
  const service = createService(shared, owner);
  const handlers = middlewareOption(middleware, "middleware", { owner });
  return Object.assign(createRouter(service, [http({ swagger, fileUpload })], { middleware: handlers }), { service });
}
