import type { Failure } from "./wire.ts";

/**
 * The error of a service that refused a request, or could not be reached (code `network`). The message is for people.
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** The HTTP status of the answer; 0 if there was no answer. */
  readonly status: number;
  /** The code of the error, such as `not_found`, `conflict` or `network`. */
  readonly code: string;
  /** The vendor whose API key is missing or was refused. */
  readonly vendor: string | undefined;
  /** The id of the failed run, if the request had begun a run. */
  readonly runId: string | undefined;
  /** Milliseconds after which the request may be repeated. */
  readonly retryAfterMs: number | undefined;

  constructor(failure: Failure, status = 0, retryAfterMs?: number) {
    super(failure.message);
    this.code = failure.code;
    this.vendor = failure.vendor;
    this.runId = failure.runId;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Returns true for a temporary failure: the service is unreachable, busy or starting. */
export function mayPass({ status }: ApiError): boolean {
  return status === 0 || status >= 500 || status === 408 || status === 429;
}

/** Makes the error for a response with an error status. */
export async function toApiError(response: Response): Promise<ApiError> {
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  const body = (await response.json().catch(() => undefined)) as { error?: Partial<Failure> } | undefined;
  const { code = "unknown", message = `The service answered ${response.status} ${response.statusText}.` } =
    body?.error ?? {};
  const failure = { ...body?.error, code, message };
  return new ApiError(failure, response.status, Number.isFinite(seconds) ? seconds * 1000 : undefined);
}
