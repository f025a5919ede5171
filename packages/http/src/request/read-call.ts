import { TroupeError } from "@troupe/core";
import type { MessageContent } from "@troupe/core";
import { checkContent, checkSessionId, createId, readKeyHeaders } from "@troupe/core/adapter";
import type { CallOpts, Exchange, RunCall } from "../exchange.ts";
import { readPrincipal, readUser } from "../principal.ts";
import { recordOf } from "../request-record.ts";
import { readRunBody } from "./read-run-body.ts";
import type { RunBody } from "./read-run-body.ts";

/** What is called, and by which name. */
type Called<Subject> = { subject: Subject; name: string };

/** How what is called takes the field `input`, which may be missing, and whether files may be a part of it. */
export type InputReader<Input> = { readonly read: (input: unknown) => Input; readonly takesFiles: boolean };

const mostParts = 100;

/** Reads a request for a run: all that it says is checked before anything runs. */
export async function readCall<Subject, Input>(
  exchange: Exchange,
  called: Called<Subject>,
  inputReader: InputReader<Input>,
): Promise<RunCall<Subject, Input>> {
  const { request, response } = exchange;
  const principal = readPrincipal(request);
  const body = (await readRunBody(exchange, inputReader.takesFiles)) ?? {};
  const user = readUser(principal, body.userId);
  const call = {
    ...called,
    input: inputReader.read(body.input),
    opts: { ...readOpts(exchange, body), ...user },
    owner: principal ?? {},
  };
  const { runId, sessionId } = call.opts;
  recordOf(response).runId = runId;
  response.setHeader("X-Run-Id", runId).setHeader("X-Session-Id", sessionId);
  return call;
}

function readOpts({ request, settings }: Exchange, { sessionId, apiKey }: RunBody): CallOpts {
  const { genericApiKeyHeader } = settings;
  return {
    runId: createId(),
    sessionId: sessionId === undefined ? createId() : checkSessionId(sessionId),
    fromOutside: true,
    ...readKeyHeaders(request.headers, { genericApiKeyHeader, bodyKey: apiKey }),
  };
}

/** What is said to an agent or a team. */
export function readMessage(input: unknown): MessageContent {
  if (input === undefined) {
    throw new TroupeError("invalid_request", 'The body must have an input, like {"input": "Hello"}.');
  }
  if (Array.isArray(input) && input.length > mostParts) {
    throw new TroupeError("invalid_request", `input must have at most ${mostParts} parts.`);
  }
  return checkContent(input);
}

/** What a workflow starts from besides its initial state. */
export function readState(input: unknown): object | undefined {
  if (input === undefined || (typeof input === "object" && input !== null && !Array.isArray(input))) return input;
  throw new TroupeError("invalid_request", "input must be an object that is merged over the workflow's initial state.");
}
