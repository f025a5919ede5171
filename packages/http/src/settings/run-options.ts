import type { HostRunOptions } from "@troupe/core/transport";
import type { Request } from "express";

/**
 * The router's option `runOptions`: returns the options of the run that a request asks for. Called behind the middleware,
 * before the body is read. An error that it throws is the answer.
 */
export type ReadRunOptions = (request: Request) => HostRunOptions | undefined | Promise<HostRunOptions | undefined>;
