import { joinNames } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { HostRunOptions } from "../../agents/agent/host-run-options.ts";
import type { RequestApiKeys } from "../../model/keys/read-key-headers.ts";
import type { MessageContent } from "../../base/message/content.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import { checkContent } from "../../agents/run/check-content.ts";
import type { RunReach } from "../../runs/record/find-runs.ts";
import type { ServedRunOpts } from "../../agents/run/run-options.ts";
import { readRunWebhook } from "../../runs/webhooks/webhook-options.ts";
import type { RunWebhook } from "../../runs/webhooks/webhook-options.ts";
import { checkSessionId } from "../../sessions/session/session-id.ts";
import type { Telemetry } from "../../base/telemetry/telemetry.ts";
import type { SessionOwner } from "../../sessions/storage/session-owner.ts";
import { createId } from "../../base/util/create-id.ts";
import { readRunUser } from "./principal.ts";
import type { BodyUserId, Principal } from "./principal.ts";
import { cutText } from "../../base/util/cut-text.ts";

/** The fields with which a client requests a run, with unchecked values. A field that is null counts as missing. */
export type RunFields = {
  readonly input?: unknown;
  readonly sessionId?: unknown;
  readonly userId?: unknown;
  readonly apiKey?: unknown;
  readonly messages?: unknown;
  readonly webhook?: unknown;
};

/** The names of the fields with which a client requests a run. A transport may allow further fields. */
export const runFieldNames: readonly string[] = [
  "input",
  "sessionId",
  "userId",
  "apiKey",
  "messages",
  "webhook",
] satisfies (keyof RunFields)[];

/** Options of a run that a client has requested. The signal is added when the run starts. */
type RequestedRunOpts = Omit<ServedRunOpts, "runId" | "sessionId" | "isNewSession" | "fromOutside" | "signal"> & {
  readonly runId: string;
  readonly sessionId: string;
  readonly isNewSession: boolean;
  readonly fromOutside: true;
};

/**
 * A checked request to run a subject (an agent, team or workflow): its input, run options and owner, ready to start.
 */
export type RequestedRun<Subject, Input> = {
  readonly subject: Subject;
  readonly input: Input;
  readonly opts: RequestedRunOpts;
  /**
   * The principal, who alone may cancel the run. An empty object without a principal, because a `userId` sent by a
   * client proves nothing.
   */
  readonly owner: SessionOwner;
  /** The remote address of the client, if the host declares it trustworthy. */
  readonly address?: string | undefined;
  /** A webhook of this run alone. */
  readonly webhook?: RunWebhook | undefined;
};

/** Returns the owner of a requested run. A run without a principal is accessible by its id, even if it names a user. */
export function reachOf({ opts, owner }: Pick<RequestedRun<unknown, unknown>, "opts" | "owner">): Required<RunReach> {
  const { userId, tenantId, verified } = opts;
  return { owner: { userId, tenantId, verified }, isBearer: owner.userId === undefined };
}

/** The rules for reading a run's fields, from its transport and its host. */
export type RunFieldContext<Subject, Input> = {
  readonly subject: Subject;
  /** {@link readMessage} or {@link readWorkflowInput}. Receives the value of the field `input`, undefined if missing. */
  readonly readInput: (input: unknown, where: string) => Input;
  readonly principal: Principal | undefined;
  readonly bodyUserId: BodyUserId;
  /** The result of the host's option `runOptions`, checked by `readHostRunOptions`. */
  readonly hostOptions?: HostRunOptions | undefined;
  /** Returns the API keys of the run. Receives the value of the field `apiKey`, undefined if missing. */
  readonly readKeys: (apiKey: unknown) => RequestApiKeys;
  /** The remote address of the client, if the host declares it trustworthy. */
  readonly address?: string | undefined;
  /** The telemetry of the run, which belongs to the trace of its client. */
  readonly telemetry?: Telemetry | undefined;
  /** Name of the data that the client sent, for errors. @default "body" */
  readonly where?: string | undefined;
  /** True if the host lets callers name a webhook for their run. @default false */
  readonly allowsWebhook?: boolean | undefined;
};

/** The way in which a protocol reads the fields of a run from a request. */
export type RunReading<Input> = {
  /** Reads the value of the field `input`: `readMessage` or `readWorkflowInput`. */
  readonly readInput: RunFieldContext<unknown, Input>["readInput"];
  /** Reads the fields of the run, once the user and the host's options are known. */
  readonly readFields: () => RunFields | Promise<RunFields>;
  /** Name of the data that the client sent, for errors. @default "body" */
  readonly where?: string | undefined;
};

const maxParts = 100;
/** The maximum number of characters of a client's field name that are shown. */
const longestShown = 64;
/** The maximum nesting depth of data from a client, because code that recurses deeper could crash. */
const maxDepth = 64;

/**
 * Returns the data from a client as an object of fields. Throws `invalid_request` for other values, and for an object
 * nested so deep that recursive code could crash.
 */
export function readClientObject(sent: unknown, where = "body"): Readonly<Record<string, unknown>> {
  if (typeof sent !== "object" || sent === null || Array.isArray(sent)) {
    throw invalid(`The ${where} must be a JSON object, such as {"input": "Hello"}.`);
  }
  if (!fitsDepth(sent, maxDepth)) throw invalid(`The ${where} must not nest deeper than ${maxDepth} levels.`);
  return sent as Readonly<Record<string, unknown>>;
}

function fitsDepth(value: unknown, levels: number): boolean {
  // Binary data, which some transports accept, counts as one value, so that its bytes are not visited.
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return true;
  if (levels === 0) return false;
  const parts: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return parts.every((part) => fitsDepth(part, levels - 1));
}

/** Throws `invalid_request` for the first name that is not allowed: a field without effect is rejected. */
export function checkFieldNames(sent: readonly string[], allowed = runFieldNames, where = "body"): void {
  const unknown = sent.find((name) => !allowed.includes(name));
  if (unknown === undefined) return;
  const shown = JSON.stringify(cutText(unknown, longestShown));
  throw invalid(`Unknown field ${shown} in the ${where}. Expected ${joinNames(allowed, "or")}.`);
}

/**
 * Checks the fields with which a client requests a run, before the run starts: user, input, session and keys. Returns
 * the run, ready to start, with a new id and, if the client names no session, a new session. Throws the error to send
 * as the answer.
 */
export function readRunFields<Subject, Input>(
  { input, sessionId, userId, apiKey, messages, webhook }: RunFields,
  rules: RunFieldContext<Subject, Input>,
): RequestedRun<Subject, Input> {
  const {
    subject,
    readInput,
    principal,
    bodyUserId,
    hostOptions,
    readKeys,
    address,
    telemetry,
    where = "body",
    allowsWebhook,
  } = rules;
  const user = readRunUser(principal, { claimed: userId ?? undefined, bodyUserId });
  const isNewSession = sessionId === undefined || sessionId === null;
  return {
    subject,
    input: readInput(input ?? undefined, where),
    opts: {
      ...hostOptions,
      runId: createId(),
      sessionId: isNewSession ? createId() : checkSessionId(sessionId),
      isNewSession,
      fromOutside: true,
      // The runnable itself checks the messages.
      ...(messages !== undefined && messages !== null && { messages: messages as ChatMessage[] }),
      ...readKeys(apiKey ?? undefined),
      ...user,
      telemetry,
    },
    owner: principal ?? {},
    address,
    ...readWebhook(webhook, allowsWebhook),
  };
}

/** Checks the field `webhook` of a run. Throws `forbidden` unless the host lets callers name addresses. */
function readWebhook(given: unknown, isAllowed = false): { webhook?: RunWebhook } {
  if (given === undefined || given === null) return {};
  if (isAllowed) return { webhook: readRunWebhook(given) };
  throw new TroupeError("forbidden", "This service accepts no webhook from a request. Leave webhook out.");
}

/**
 * Checks the field `input` of an agent's or team's run: a string or 1 to 100 content parts, not blank. A missing or
 * other value throws `invalid_request`.
 */
export function readMessage(input: unknown, where = "body"): MessageContent {
  if (input === undefined) throw invalid(`The ${where} must have an input, such as {"input": "Hello"}.`);
  if (Array.isArray(input) && input.length > maxParts) {
    throw invalid(`input must have at most ${maxParts} parts, got ${input.length}.`);
  }
  return checkContent(input);
}

/**
 * Checks the field `input` of a workflow's run: an object to merge over the initial state, a string for the first agent
 * step, or undefined. Other values throw `invalid_request`.
 */
export function readWorkflowInput(input: unknown): object | string | undefined {
  if (input === undefined || typeof input === "string") return input;
  if (typeof input === "object" && input !== null && !Array.isArray(input)) return input;
  throw invalid(
    "input must be an object, which is merged over the workflow's initial state, or a string for its first agent step.",
  );
}

function invalid(message: string): TroupeError {
  return new TroupeError("invalid_request", message);
}
