import type { TokenUsage } from "@troupe/core";
import type { Response } from "express";

/** What the router finds out about a request, for whoever logs it: nothing of its content. */
export type RequestRecord = {
  /** Where the router is mounted, and the pattern of the path below it. */
  route?: string;
  /** The registered name of what was asked for. */
  name?: string;
  runId?: string;
  /** What the run's model calls used together. */
  tokens?: number;
};

// In the global registry: the logger and the router may come from two copies of this package.
const key = Symbol.for("troupe.http.record");

/** The record of a request: it hangs on the response, which everybody has who may want it. */
export function recordOf(response: Response): RequestRecord {
  const bearer = response as { [key]?: RequestRecord };
  return (bearer[key] ??= {});
}

/** Notes what a run has cost, once that is known. */
export function noteUsage(response: Response, usage: TokenUsage): void {
  recordOf(response).tokens = usage.totalTokens;
}
