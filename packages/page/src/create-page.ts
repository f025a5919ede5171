import type { Logger } from "@troupe/core";
import { loggerOption, optional } from "@troupe/core/kit";
import { createRouter, createService } from "@troupe/core/service";
import type { NodeHandler } from "@troupe/core/service";
import { pageOf } from "./page.ts";
import { readPageOptions } from "./page-options.ts";
import type { PageOptions } from "./page-options.ts";

/** Options of {@link createPage}: the options of `page`, without a service. */
export type MountedPageOptions = Omit<PageOptions, "path" | "api"> & {
  /** The path at which `createAgentRouter` is mounted, on the origin of the page. @default "/" */
  api?: string | undefined;
  /** Receives failures that the client did not cause. @default warnings and errors on standard error */
  logger?: Logger | undefined;
};

const owner = "createPage";

const loggerCheck = optional(loggerOption);

/**
 * Makes the page as a handler that a host mounts by hand, for example with `app.use` of Express, beside
 * `createAgentRouter`, which is mounted at the path `api` ("/" by default). It answers only for its own paths: the page
 * itself, and `assets`, `inspector`, `shares` and `s` below it. Throws `invalid_config` for a wrong option.
 */
export function createPage(options: MountedPageOptions = {}): NodeHandler {
  const { logger, ...own } = { ...options };
  const settings = readPageOptions({ ...own, api: own.api ?? "/" }, owner);
  const service = createService({ logger: loggerCheck(logger, "logger", { owner }) }, owner);
  const answer = createRouter(service, [pageOf(settings)]);
  return (request, response, next) => {
    const { method = "GET", url = "/" } = request;
    // The host may answer other methods at the path of the page.
    if (reads.includes(method) || /^\/(?:inspector|shares)(?:[/?]|$)/.test(url)) answer(request, response, next);
    else next();
  };
}

const reads = ["GET", "HEAD", "OPTIONS"];
