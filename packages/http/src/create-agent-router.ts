import { createRouter, createService } from "@troupe/core/service";
import type { NodeHandler, ServiceOptions } from "@troupe/core/service";
import { arrayOf, functionOption, optional } from "@troupe/core/kit";
import { checkShortForm } from "@troupe/core/transport";
import type { Service } from "@troupe/core/transport";
import type { RequestHandler } from "express";
import { http } from "./http.ts";
import { shortFormNames } from "./settings/http-options.ts";
import type { HttpOptions } from "./settings/http-options.ts";

/** Options of {@link createAgentRouter}: those of a service and of HTTP, and the host's handlers. */
export type RouterOptions = ServiceOptions &
  HttpOptions & {
    /** Handlers that run before the router's own, for every request except `/health` and `/ready`. */
    middleware?: readonly RequestHandler[] | undefined;
  };

/** The handler of a service that it has made for itself. */
export type AgentRouter = NodeHandler & {
  /** The service, to close it, or to serve it in further protocols. */
  readonly service: Service;
};

const middlewareOption = optional(arrayOf("request handlers", functionOption<RequestHandler>()), []);

/**
 * Makes the handler that serves the registered agents, teams and workflows over HTTP, with sessions, health and, if
 * `swagger` is given, docs. Express mounts it with `app.use`. It is the short form of `createRouter` over a service of
 * these options. It answers its own errors as JSON without a stack, even if the host has no error handler. A wrong
 * option throws `invalid_config`.
 */
export function createAgentRouter(options: RouterOptions = {}): AgentRouter {
  const owner = "createAgentRouter";
  checkShortForm(options, shortFormNames, owner);
  const { swagger, fileUpload, middleware, ...shared } = options;
  const service = createService(shared, owner);
  const handlers = middlewareOption(middleware, "middleware", { owner });
  return Object.assign(createRouter(service, [http({ swagger, fileUpload })], { middleware: handlers }), { service });
}
