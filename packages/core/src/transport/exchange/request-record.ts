/**
 * Facts about a request that the router records for the request logger and for itself: route, run and tokens. It
 * contains none of the request's content.
 */
export type RequestRecord = {
  /** The mount path of the router, followed by the path pattern of the route. */
  route?: string;
  /** The registered name of the agent, team or workflow. */
  name?: string;
  runId?: string;
  /** The total tokens of all model calls of the run. */
  tokens?: number;
  /**
   * The run that the request begins. It is set before the run has begun: if the client disconnects in the meantime, the
   * run still uses data of the request. `Exchange.untilRunEnds` waits for its end.
   */
  run?: Promise<{ readonly over?: Promise<void> | undefined }>;
};

// A symbol of the global registry, because the logger and the router may come from two copies of this package.
const key = Symbol.for("troupe.http.record");

/**
 * Returns the record of a request, empty at first. It is stored on the response, which the request logger and the
 * router share.
 */
export function requestRecordOf(response: object): RequestRecord {
  const bearer = response as { [key]?: RequestRecord };
  return (bearer[key] ??= {});
}
