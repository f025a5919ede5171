import { TroupeError } from "@troupe/core";
import { checkFieldNames, readIdempotencyKey, readKeyHeaders, readRunQuery } from "@troupe/core/transport";
import type { Exchange, RequestedRun, RunFieldContext, RunFields, ProtocolRunOptions } from "@troupe/core/transport";
import type { HttpParts } from "../settings/http-options.ts";
import { readLastEventId } from "./read-delivery.ts";

/** The rules for the body field `input` of one kind of runnable: its check, and if files are allowed. */
export type InputRule<Input> = {
  readonly read: RunFieldContext<unknown, Input>["readInput"];
  /** True if the input may be sent as a form with files. */
  readonly takesFiles: boolean;
};

/**
 * The options of a run that its HTTP request sets. `early` is true if the client wants the ids of the run before the
 * answer.
 */
export type ReadTerms = { readonly terms: ProtocolRunOptions; readonly early: boolean };

/**
 * Reads the options of a run from the headers and the query of its request. Throws `invalid_request` for
 * `Last-Event-ID` without an idempotency key, because a client that automatically repeats its POST would begin a second
 * run.
 */
export function readTerms(
  exchange: Exchange,
  target: Pick<ProtocolRunOptions, "kind" | "name">,
  { service }: HttpParts,
): ReadTerms {
  const { early, endsWithClient } = readRunQuery(exchange);
  const key = readIdempotencyKey(exchange);
  const mustExist = readLastEventId(exchange) !== undefined;
  const terms = { ...target, key, mustExist, endsWithClient };
  if (mustExist && key === undefined && service.servedRuns.stores(terms)) throw keyMissing();
  return { terms, early };
}

/**
 * Reads a request to run an agent, team or workflow and checks keys, user, session and input before anything runs. Sets
 * the response headers `X-Run-Id` and `X-Session-Id`. Throws the error to send if a part is wrong.
 */
export async function readRunRequest<Subject, Input>(
  exchange: Exchange,
  subject: Subject,
  { parts, input }: { parts: HttpParts; input: InputRule<Input> },
): Promise<RequestedRun<Subject, Input>> {
  const readFields = () => readRunBody(exchange, parts, input.takesFiles);
  const requested = await parts.service.readRun(exchange, subject, { readInput: input.read, readFields });
  const { runId, sessionId } = requested.opts;
  exchange.setHeader("X-Run-Id", runId).setHeader("X-Session-Id", sessionId);
  return requested;
}

/** Reads the body of a run: a form if files are accepted, else JSON. Rejects a field that has no effect. */
async function readRunBody(
  exchange: Exchange,
  { service, uploads, maxBodyBytes }: HttpParts,
  takesFiles: boolean,
): Promise<RunFields> {
  if (takesFiles && uploads?.isUpload(exchange) === true) {
    const { genericApiKeyHeader } = service.settings;
    // The API keys in the headers are checked before the upload is read, so that a malformed key is rejected before any
    // file is stored. The run's keys are read later, together with the body.
    readKeyHeaders(exchange.headers, { genericApiKeyHeader });
    return await uploads.readBody(exchange, (name) => checkFieldNames([name]));
  }
  const readLarge = takesFiles ? uploads?.jsonReader(exchange) : undefined;
  const body = await exchange.readJsonObject({ maxBytes: maxBodyBytes, readLarge });
  if (body === undefined) return {};
  checkFieldNames(Object.keys(body));
  if (takesFiles) uploads?.checkJson(body);
  return body;
}

function keyMissing(): TroupeError {
  return new TroupeError(
    "invalid_request",
    "Last-Event-ID needs the Idempotency-Key with which the run was begun. Without one, read the run's events at /runs/:runId/events.",
  );
}
