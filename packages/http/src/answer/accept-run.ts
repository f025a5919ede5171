import { hash } from "node:crypto";
import { TroupeError } from "@troupe/core";
import type { AcceptedRun, Json, RunOpts, RunRequest as KeptRequest, RunService } from "@troupe/core";
import type { Exchange } from "../exchange/exchange.ts";
import { requestRecordOf } from "../exchange/request-record.ts";
import type { KeptTarget } from "../request/choose-service.ts";
import type { RunRequest } from "../request/read-run-request.ts";
import type { RouterSettings } from "../settings/router-options.ts";
import { pathOfRun } from "./run-ids.ts";

type AnyRunRequest = RunRequest<unknown, unknown>;

/**
 * Has a service accept the run of a request, or find it again by its key, and sets the ids and the place of the run as
 * headers. A run that is kept in this process counts as active until its end.
 */
export async function acceptRun(
  { request, response }: Exchange,
  runRequest: AnyRunRequest,
  { target, settings }: { target: KeptTarget; settings: RouterSettings },
): Promise<AcceptedRun> {
  const { activeRuns } = settings;
  closeIfDraining(response, activeRuns);
  activeRuns.checkOpen();
  // Those of the request are of a run that may never be.
  response.removeHeader("X-Run-Id");
  response.removeHeader("X-Session-Id");
  const abort = new AbortController();
  const accepted = await target.service.accept(toKeptRequest(runRequest, target, abort.signal));
  const { runId, sessionId, isNew } = accepted;
  if (isNew && !target.isDurable) {
    const cancel = (reason: unknown): void => {
      abort.abort(reason);
      // A run that waits has nothing under way that could hear the signal.
      void target.service.cancel(runId, "host").catch(() => undefined);
    };
    try {
      const end = activeRuns.begin(runId, runRequest.owner, cancel);
      requestRecordOf(response).runEnd = untilOver(target.service, runId).finally(end);
    } catch (error) {
      // A shutdown has begun meanwhile.
      cancel(error);
      throw error;
    }
  }
  requestRecordOf(response).runId = runId;
  response.setHeader("X-Run-Id", runId).setHeader("X-Session-Id", sessionId);
  response.setHeader("Content-Location", pathOfRun(request, runId));
  return accepted;
}

function closeIfDraining(response: Exchange["response"], { isDraining }: RouterSettings["activeRuns"]): void {
  if (isDraining && !response.headersSent) response.setHeader("Connection", "close");
}

/** Reads the events of a run to its end, or until they are removed. */
async function untilOver(service: RunService, runId: string): Promise<void> {
  try {
    for await (const { type } of service.events(runId, "host")) if (type === "end") return;
  } catch {
    // The run is the service's, which has logged what failed.
  }
}

function toKeptRequest({ input, opts, owner }: AnyRunRequest, target: KeptTarget, signal: AbortSignal): KeptRequest {
  const { kind, name, isDurable, key, mustExist } = target;
  const { runId, sessionId, isNewSession, userId, tenantId, verified, apiKey, apiKeys } = opts;
  const { metadata, messages, limits, modelOptions, instructions, fromOutside, model, tools } = opts;
  const named = isNewSession ? {} : { sessionId };
  if (isDurable) checkStorable(opts);
  return {
    kind,
    name,
    ...(isDurable
      ? { input, options: { ...named, limits, modelOptions, instructions, fromOutside, messages, metadata } }
      : {
          options: { ...named, limits, modelOptions, instructions, fromOutside },
          local: { input, messages, metadata, model, tools, signal },
        }),
    owner: { userId, tenantId, verified },
    isBearer: owner.userId === undefined,
    keys: { apiKey, apiKeys },
    ...(key === undefined
      ? { runId }
      : { idempotencyKey: key, mustExist, fingerprint: fingerprintOf({ input, messages, userId, ...named }) }),
  };
}

/**
 * Returns the request as its client sent it, with hashes in place of files. The host's options may differ each time. The
 * service checks the messages later: they may be anything yet.
 */
function fingerprintOf({ input, messages, ...named }: Said): Json {
  const said = {
    ...named,
    input: condensed(input),
    messages: Array.isArray(messages) ? messages.map(condensedMessage) : messages,
  };
  return JSON.parse(JSON.stringify(said)) as Json;
}

type Said = Pick<RunOpts, "userId" | "sessionId"> & { input: unknown; messages: unknown };

function condensedMessage(message: unknown): unknown {
  return hasOwn(message, "content") ? { ...message, content: condensed(message.content) } : message;
}

function condensed(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.map((part: unknown) =>
    hasOwn(part, "data") && typeof part.data === "string" ? { ...part, data: hash("sha256", part.data) } : part,
  );
}

function hasOwn<Key extends string>(value: unknown, key: Key): value is Record<Key, unknown> {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key);
}

/** Throws `invalid_config` for options of the host that only a plain run can have. */
function checkStorable({ model, tools }: AnyRunRequest["opts"]): void {
  if (model === undefined && tools === undefined) return;
  const message =
    "runOptions(request) must give no model and no tools to a durable run: no record can hold them. " +
    "Give them to the agent, or leave the agent out of the RunService.";
  throw new TroupeError("invalid_config", message);
}
