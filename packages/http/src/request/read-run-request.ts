import { TroupeError } from "@troupe/core";
import type { ChatMessage, MessageContent, RunOpts, SessionOwner } from "@troupe/core";
import { checkContent, checkSessionId, createId, readHostRunOptions, readKeyHeaders } from "@troupe/core/adapter";
import type { Request } from "express";
import type { Exchange } from "../exchange/exchange.ts";
import { readPrincipal, readRunUser } from "../exchange/principal.ts";
import { requestRecordOf } from "../exchange/request-record.ts";
import type { RouterSettings } from "../settings/router-options.ts";
import { readBody } from "./read-body.ts";
import { readRunQuery } from "./read-delivery.ts";
import type { RunQuery } from "./read-delivery.ts";

/** Options of a run, read from its request. The signal is added when the run starts. */
type RequestedRunOpts = Omit<RunOpts, "runId" | "sessionId" | "isNewSession" | "fromOutside" | "signal"> & {
  readonly runId: string;
  readonly sessionId: string;
  readonly isNewSession: boolean;
  readonly fromOutside: true;
};

/**
 * A checked request to run a subject (an agent, team or workflow): its input, run options and owner, ready to start.
 */
export type RunRequest<Subject, Input> = {
  readonly subject: Subject;
  readonly input: Input;
  readonly opts: RequestedRunOpts;
  readonly query: RunQuery;
  /** The principal, who alone may cancel the run. Empty without one: the body's `userId` proves nothing. */
  readonly owner: SessionOwner;
};

/**
 * The rules for the field `input` of a run's body, for one kind of subject: its check, and whether files may be sent.
 */
export type InputRule<Input> = {
  /** Takes the value of the field, undefined if it is missing. */
  readonly read: (input: unknown) => Input;
  /** True if the input may come as a form with files. */
  readonly takesFiles: boolean;
};

/** The body of a run, with unchecked values. A field that is null counts as missing. */
type RunBody = {
  readonly input?: unknown;
  readonly sessionId?: unknown;
  readonly userId?: unknown;
  readonly apiKey?: unknown;
  readonly messages?: unknown;
};

const bodyFields: readonly string[] = [
  "input",
  "sessionId",
  "userId",
  "apiKey",
  "messages",
] satisfies (keyof RunBody)[];

const maxParts = 100;
/** The longest part shown of a client's field name. */
const longestShown = 64;

/**
 * Reads a request to run an agent, team or workflow and checks all of it before anything runs: keys, user, session and
 * input. Sets the headers `X-Run-Id` and `X-Session-Id` of the response. Throws the error to send if a part is wrong.
 */
export async function readRunRequest<Subject, Input>(
  exchange: Exchange,
  subject: Subject,
  { settings, input }: { settings: RouterSettings; input: InputRule<Input> },
): Promise<RunRequest<Subject, Input>> {
  const { request, response } = exchange;
  const query = readRunQuery(request);
  const principal = readPrincipal(request);
  const hostOptions = settings.runOptions && readHostRunOptions(await settings.runOptions(request));
  const body = (await readRunBody(exchange, settings, input.takesFiles)) ?? {};
  const user = readRunUser(principal, { claimed: body.userId ?? undefined, bodyUserId: settings.bodyUserId });
  const runRequest = {
    subject,
    input: input.read(body.input ?? undefined),
    opts: { ...hostOptions, ...readOpts(request, settings, body), ...user },
    owner: principal ?? {},
    query,
  };
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
): Promise<RunBody | undefined> {
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

function checkFieldNames(sent: readonly string[]): void {
  const unknown = sent.find((name) => !bodyFields.includes(name));
  if (unknown === undefined) return;
  throw new TroupeError(
    "invalid_request",
    `Unknown field ${JSON.stringify(unknown.slice(0, longestShown))} in the body. Expected input, sessionId, userId, apiKey or messages.`,
  );
}

function readOpts(
  { headers }: Request,
  { genericApiKeyHeader }: RouterSettings,
  { sessionId, apiKey, messages }: RunBody,
): RequestedRunOpts {
  const isNewSession = sessionId === undefined || sessionId === null;
  return {
    runId: createId(),
    sessionId: isNewSession ? createId() : checkSessionId(sessionId),
    isNewSession,
    fromOutside: true,
    // The runnable checks them.
    ...(messages !== undefined && messages !== null && { messages: messages as ChatMessage[] }),
    ...readKeyHeaders(headers, { genericApiKeyHeader, bodyKey: apiKey ?? undefined }),
  };
}

/**
 * Checks the field `input` of an agent's or team's run: a string or 1 to 100 content parts, not blank. Anything else,
 * or none, throws `invalid_request`.
 */
export function readMessage(input: unknown): MessageContent {
  if (input === undefined) {
    throw new TroupeError("invalid_request", 'The body must have an input, such as {"input": "Hello"}.');
  }
  if (Array.isArray(input) && input.length > maxParts) {
    throw new TroupeError("invalid_request", `input must have at most ${maxParts} parts, got ${input.length}.`);
  }
  return checkContent(input);
}

/**
 * Checks the field `input` of a workflow's run: an object to merge over the initial state, a string for the first agent
 * step, or undefined. Anything else throws `invalid_request`.
 */
export function readWorkflowInput(input: unknown): object | string | undefined {
  if (input === undefined || typeof input === "string") return input;
  if (typeof input === "object" && input !== null && !Array.isArray(input)) return input;
  throw new TroupeError(
    "invalid_request",
    "input must be an object, which is merged over the workflow's initial state, or a string for its first agent step.",
  );
}
