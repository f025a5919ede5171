import type { TokenUsage } from "../base/message/token-usage.ts";

/** The end of an attempt at a model call: the billed usage and the vendor's id of the response, or the error. */
export type ModelAttemptEnd =
  | { readonly usage: TokenUsage; readonly responseId?: string | undefined }
  | { readonly error: unknown };

/**
 * Reports that a model is called on behalf of another model, as `fallbackModel` does. Returns the function that reports
 * the end of that call.
 */
export type ReportModelCall = (model: { providerId: string; modelId: string }) => (end: ModelAttemptEnd) => void;

/**
 * Reports that an attempt at a model call begins, by the number of the attempt from 1. Returns the function that
 * reports its end; only the first end counts.
 */
export type ReportModelAttempt = (attempt: number) => (end: ModelAttemptEnd) => void;

/**
 * Ends the vendor's request of a stream whose reader left early. The result is not awaited, because a provider may
 * never finish.
 */
export function leaveChunks(chunks: AsyncIterator<unknown>): void {
  try {
    chunks.return?.().then(undefined, () => undefined);
  } catch {
    // The error is ignored: the reader has left and needs no more chunks.
  }
}

/**
 * Makes an attempt at a whole model call, and reports its beginning and end. `read` returns the end of the attempt,
 * made from the response, and does not throw.
 */
export async function reportedAttempt<Response>(
  call: () => Promise<Response>,
  report: () => (end: ModelAttemptEnd) => void,
  read: (response: Response) => ModelAttemptEnd,
): Promise<Response> {
  const end = report();
  try {
    const response = await call();
    end(read(response));
    return response;
  } catch (error) {
    end({ error });
    throw error;
  }
}
