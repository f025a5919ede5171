/** The service that is visited, in a process of its own. */
export type Visited = {
  readonly url: string;
  /** Returns all that the process has printed. */
  readonly printed: () => string;
  /** The folder of its data. */
  readonly folder: string;
};

/** Size of a visit, the seed of what is generated, and whether parts of the visit may install the tools that they need. */
export type VisitOptions = { readonly cases: number; readonly seed: number; readonly mayInstall: boolean };

/**
 * Result of a visit: the number of requests, the faults, each with what shows it, and what else is worth a line. Parts that
 * were `skipped` since a tool is missing are faults where the visit is required.
 */
export type VisitResult = {
  readonly cases: number;
  readonly faults: readonly string[];
  readonly remarks?: readonly string[];
  readonly skipped?: readonly string[];
};

/** A client that sends the service what no friendly client does, and judges the answers. */
export type Visit = (visited: Visited, options: VisitOptions) => Promise<VisitResult>;

/** The code of each status that an error in the common form may have. */
const codeOf: Readonly<Record<number, readonly string[]>> = {
  400: ["invalid_request"],
  401: ["unauthorized"],
  403: ["forbidden"],
  404: ["not_found"],
  405: ["invalid_request"],
  409: ["conflict"],
  411: ["invalid_request"],
  410: ["gone"],
  413: ["payload_too_large"],
  415: ["unsupported_media_type"],
  422: ["context_too_long", "guardrail_blocked", "idempotency_mismatch", "limit_exceeded"],
  502: ["model_failed", "structured_output_invalid"],
};

/** Text of programs that no answer may hold: a stack, a path of a source file. */
const internals = /\bat .+:\d+:\d+\)?|node_modules|\/src\/|\/dist\//;

/** Returns what is wrong with an answer, or `undefined`. An error must have the common form, and show nothing of the inside. */
export function faultOf(status: number, body: string): string | undefined {
  if (internals.test(body)) return `shows the inside of the service: ${body.slice(0, 200)}`;
  if (status < 400) return undefined;
  const code = errorCode(body);
  if (code !== undefined && codeOf[status]?.includes(code) === true) return undefined;
  return `status ${status} with ${code === undefined ? "a body that is not our error" : `the code ${code}`}: ${body.slice(0, 200)}`;
}

function errorCode(body: string): string | undefined {
  try {
    const { error } = JSON.parse(body) as { error?: { code?: unknown; message?: unknown; requestId?: unknown } };
    const isOurs = typeof error?.message === "string" && typeof error.requestId === "string";
    return isOurs && typeof error.code === "string" ? error.code : undefined;
  } catch {
    return undefined;
  }
}
