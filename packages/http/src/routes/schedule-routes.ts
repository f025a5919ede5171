import { TroupeError } from "@troupe/core";
import type { Json } from "@troupe/core";
import type {
  RunKind,
  RunSchedule,
  RunSchedules,
  ScheduleChanges,
  ScheduleEvent,
  ScheduleView,
} from "@troupe/core/runs";
import {
  checkFieldNames,
  findRunnable,
  readIdempotencyKey,
  readMessage,
  readWorkflowInput,
} from "@troupe/core/transport";
import type { Exchange, Route } from "@troupe/core/transport";
import { readQuery } from "../request/read-query.ts";
import type { HttpParts } from "../settings/http-options.ts";

/** A schedule in the form for its user. Times are epoch milliseconds. */
export type PublicSchedule = Omit<ScheduleView, "request"> & {
  readonly kind: RunKind;
  readonly name: string;
  readonly input?: unknown;
  /** The session that all its runs continue; absent if each run begins a new session. */
  readonly sessionId?: string;
};

/** The body of a request for a new schedule. */
export type NewSchedule = Omit<RunSchedule, "id" | "request"> & {
  readonly kind: RunKind;
  readonly name: string;
  readonly input?: unknown;
  readonly sessionId?: string;
  /** The signed-in user. It may be omitted; another user's id is rejected. */
  readonly userId?: string;
};

/** The body of a request that changes a schedule. */
export type ScheduleChange = Omit<ScheduleChanges, "isPaused"> & { readonly status?: "active" | "paused" };

/** The schedules of a user, sorted by id. */
export type PublicScheduleList = { readonly schedules: readonly PublicSchedule[] };

/** An entry in the history of a schedule: one or several of its times, and their outcome. */
export type PublicScheduleEvent = ScheduleEvent;

/** The fields of a schedule that determine when and how its runs begin. */
const ruleFields = ["cron", "timeZone", "everyMs", "at", "overlap", "missed", "maxMissed", "jitterMs"] as const;
const createFields = ["kind", "name", "input", "sessionId", "userId", ...ruleFields];
const changeFields = ["status", "input", ...ruleFields];

/**
 * Makes the routes below `/schedules`, which create, list, read, change and remove the schedules of the signed-in user.
 * The routes exist only if the service has the option `schedules`.
 */
export function scheduleRoutes(parts: HttpParts): Route[] {
  const { schedules: rules } = parts.service.settings;
  const schedules = parts.service.runs?.schedules;
  if (rules === undefined || schedules === undefined) return [];
  const call: Call = { parts, schedules };
  return [
    {
      path: "/schedules",
      get: async (exchange) => {
        const owner = await checkCaller(exchange, parts);
        readQuery(exchange, []);
        const body: PublicScheduleList = { schedules: (await schedules.list(owner)).map(toPublicSchedule) };
        exchange.sendJson(200, body);
      },
      post: async (exchange) => await create(exchange, call),
    },
    {
      path: "/schedules/:id",
      get: async (exchange) => {
        const owner = await checkCaller(exchange, parts);
        exchange.sendJson(200, toPublicSchedule(await schedules.get(idOf(exchange), owner)));
      },
      patch: async (exchange) => await change(exchange, call),
      delete: async (exchange) => {
        await schedules.remove(idOf(exchange), await checkCaller(exchange, parts));
        exchange.sendEmpty();
      },
    },
    { path: "/schedules/*", all: refuse },
  ];
}

type Call = { readonly parts: HttpParts; readonly schedules: RunSchedules };

function refuse(): never {
  throw new TroupeError("not_found", "Nothing was found at this path.");
}

/**
 * Returns the signed-in user of a request. Throws `unauthorized` if there is no user, and `forbidden` if the host
 * refuses the user.
 */
async function checkCaller(exchange: Exchange, { service }: HttpParts) {
  const { principal } = exchange;
  if (principal === undefined) throw new TroupeError("unauthorized", "Sign in to use schedules.");
  const allow = service.settings.schedules?.allow;
  if (allow === undefined || (await allow(exchange.toRequest()))) return principal;
  throw new TroupeError("forbidden", "This user may not use schedules.");
}

async function create(exchange: Exchange, { parts, schedules }: Call): Promise<void> {
  const { service, maxBodyBytes } = parts;
  const owner = await checkCaller(exchange, parts);
  const body = (await exchange.readJsonObject({ maxBytes: maxBodyBytes })) ?? {};
  checkFieldNames(Object.keys(body), createFields);
  const { kind, name, input, sessionId, userId, ...rules } = body;
  const target = readTarget(kind, name);
  const subject = findRunnable<object>(service[`${target.kind}s`], target.name, target.kind);
  const readInput = target.kind === "workflow" ? readWorkflowInput : readMessage;
  const readFields = async () => await Promise.resolve({ input, sessionId, userId });
  const requested = await service.readRun<object, unknown>(exchange, subject, { readInput, readFields });
  // This request begins no run, so the request log must not show a run id.
  delete exchange.record.runId;
  const request = service.servedRuns.toScheduledRequest(requested, target);
  const repeated = { idempotencyKey: readIdempotencyKey(exchange), fingerprint: body as Json };
  const view = await schedules.create({ ...withoutNulls(rules), request, ...repeated }, owner);
  exchange.setHeader("Location", exchange.linkTo(`/schedules/${view.id}`));
  exchange.sendJson(201, toPublicSchedule(view));
}

function readTarget(kind: unknown, name: unknown): { kind: RunKind; name: string } {
  if (kind !== "agent" && kind !== "team" && kind !== "workflow")
    throw invalid("kind must be agent, team or workflow.");
  if (typeof name !== "string") throw invalid("name must be a string, such as the name of an agent.");
  return { kind, name };
}

async function change(exchange: Exchange, { parts, schedules }: Call): Promise<void> {
  const owner = await checkCaller(exchange, parts);
  const body = (await exchange.readJsonObject({ maxBytes: parts.maxBodyBytes })) ?? {};
  checkFieldNames(Object.keys(body), changeFields);
  const { status, input, ...rules } = withoutNulls(body);
  if (status !== undefined && status !== "active" && status !== "paused") {
    throw invalid("status must be active or paused, or be left out.");
  }
  const isPaused = status === undefined ? undefined : status === "paused";
  const changes: ScheduleChanges = { ...rules, input, isPaused };
  exchange.sendJson(200, toPublicSchedule(await schedules.change(idOf(exchange), changes, owner)));
}

/** Leaves out fields that are null, which count as missing. */
function withoutNulls(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

function toPublicSchedule({ request, ...schedule }: ScheduleView): PublicSchedule {
  const { kind, name, input, options } = request;
  const { sessionId } = options ?? {};
  return {
    ...schedule,
    kind,
    name,
    ...(input !== undefined && { input }),
    ...(sessionId !== undefined && { sessionId }),
  };
}

function idOf({ params }: Exchange): string {
  return String(params["id"]);
}

function invalid(message: string): TroupeError {
  return new TroupeError("invalid_request", message);
}
