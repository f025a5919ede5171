import {
  checkFieldNames,
  readHostRunOptions,
  readKeyHeaders,
  readRemoteAddress,
  readRunFields,
} from "@troupe/core/transport";
import type { RequestedRun, RunFieldRules, RunFields } from "@troupe/core/transport";
import { principalOf } from "../exchange/exchange.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { requestRecordOf } from "../exchange/request-record.ts";
import type { RouterSettings } from "../settings/router-options.ts";
import { readBody } from "./read-body.ts";
import { readRunQuery } from "./read-delivery.ts";
import type { RunQuery } from "./read-delivery.ts";

/** A checked request to run a subject (an agent, team or workflow), with the parameters of its query. */
export type RunRequest<Subject, Input> = RequestedRun<Subject, Input> & { readonly query: RunQuery };

/**
 * The rules for the field `input` of a run's body, for one kind of subject: its check, and whether files may be sent.
 */
export type InputRule<Input> = {
  readonly read: RunFieldRules<unknown, Input>["readInput"];
  /** True if the input may come as a form with files. */
  readonly takesFiles: boolean;
};

/**
 * Reads a request to run an agent, team or workflow and checks all of it before anything runs: keys, user, session and
 * input. Sets the headers `X-Run-Id` and `X-Session-Id` of the response. Throws the error to send if a part is wrong.
 */
export async function readRunRequest<Subject, Input>(
  exchange: Exchange,
  subject: Subject,
  { settings, input }: { settings: RouterSettings; input: InputRule<Input> },
): Promise<RunRequest<Subject, Input>> {
  const readFields = async () => (await readRunBody(exchange, settings, input.takesFiles)) ?? {};
  return await toRunRequest(exchange, subject, { settings, readInput: input.read, readFields });
}

/** Makes the request to run a subject of the fields of a body, read after the query and the host's options, and of the headers. */
export async function toRunRequest<Subject, Input>(
  exchange: Exchange,
  subject: Subject,
  given: { settings: RouterSettings; readInput: InputRule<Input>["read"]; readFields: () => Promise<RunFields> },
): Promise<RunRequest<Subject, Input>> {
  const { settings, readInput, readFields } = given;
  const { request, response } = exchange;
  const query = readRunQuery(request);
  const principal = principalOf(request);
  const hostOptions = settings.runOptions && readHostRunOptions(await settings.runOptions(request));
  const body = await readFields();
  const { bodyUserId, genericApiKeyHeader, trustAddresses } = settings;
  const address = readRemoteAddress(request, trustAddresses);
  const readKeys = (bodyKey: unknown) => readKeyHeaders(request.headers, { genericApiKeyHeader, bodyKey });
  const rules = { subject, readInput, principal, bodyUserId, hostOptions, readKeys, address };
  const runRequest = { ...readRunFields(body, rules), query };
  const { runId, sessionId } = runRequest.opts;
  requestRecordOf(response).runId = runId;
  response.setHeader("X-Run-Id", runId).setHeader("X-Session-Id", sessionId);
  return runRequest;
}

/** Reads the body of a run: a form where files are taken, else JSON. A field without effect is refused. */
async function readRunBody(
  exchange: Exchange,
  { uploads, maxBodyBytes, genericApiKeyHeader }: RouterSettings,
  takesFiles: boolean,
): Promise<RunFields | undefined> {
  const { request } = exchange;
  if (takesFiles && uploads?.isUpload(request) === true) {
    // The keys are read again together with the body's. A wrong one is refused before any file is stored.
    readKeyHeaders(request.headers, { genericApiKeyHeader });
    return await uploads.readBody(exchange, (name) => checkFieldNames([name]));
  }
  const readLarge = takesFiles ? uploads?.jsonReader(exchange) : undefined;
  const body = await readBody(request, { maxBytes: maxBodyBytes, readLarge });
  checkFieldNames(Object.keys(body ?? {}));
  if (takesFiles && body !== undefined) uploads?.checkJson(body);
  return body;
}
