import type { TokenUsage } from "@troupe/core";
import type { Response } from "express";

/**
 * Facts about a request that the router notes for the request logger and for what the request holds: its route, run and
 * tokens. Nothing of its content.
 */
export type RequestRecord = {
  /** The mount path of the router, followed by the path pattern of the route. */
  route?: string;
  /** The registered name of the agent, team or workflow. */
  name?: string;
  runId?: string;
  /** The total tokens of all model calls of the run. */
  tokens?: number;
  /** Settles at the end of a run of this process that goes on when the request is over. It holds what the request brought. */
  runEnd?: Promise<void>;
};

// In the global registry: the logger and the router may come from two copies of this package.
const key = Symbol.for("troupe.http.record");

/**
 * Returns the record of a request, empty at first. It is kept on the response, which the request logger and the router
 * share.
 */
export function requestRecordOf(response: Response): RequestRecord {
  const bearer = response as { [key]?: RequestRecord };
  return (bearer[key] ??= {});
}

/** Notes the total tokens that a run used in the record of its request, for the request logger. */
export function recordUsage(response: Response, usage: TokenUsage): void {
  requestRecordOf(response).tokens = usage.totalTokens;
}
