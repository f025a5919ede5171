import type { RunOpts } from "@troupe/core";
import type { Request } from "express";

/**
 * Options that the host gives to a run: metadata for its tools and hooks, limits, options of its model calls, and a model,
 * instructions and tools in place of the agent's own.
 */
export type HostRunOptions = Pick<RunOpts, "metadata" | "limits" | "modelOptions" | "model" | "instructions" | "tools">;

/**
 * The router's option `runOptions`: returns the options of the run that a request asks for. Called behind the middleware,
 * before the body is read. An error that it throws is the answer.
 */
export type ReadRunOptions = (request: Request) => HostRunOptions | undefined | Promise<HostRunOptions | undefined>;
