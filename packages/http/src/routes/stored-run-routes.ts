import { TroupeError } from "@troupe/core";
import type { Json } from "@troupe/core";
import { runStatuses } from "@troupe/core/runs";
import type { RunStatus } from "@troupe/core/runs";
import { sseHeaders, toPublicRun } from "@troupe/core/transport";
import type { Exchange, FoundRun, Route } from "@troupe/core/transport";
import { sendEvents } from "../answer/answer-stream.ts";
import { readLastEventId } from "../request/read-delivery.ts";
import { readQuery, toNumber } from "../request/read-query.ts";
import type { HttpParts } from "../settings/http-options.ts";

/** A page of the principal's durable runs. `next` is the value of `after` for the next page. */
export type PublicRunPage = { runs: ReturnType<typeof toPublicRun>[]; next?: string };

/**
 * Makes the routes below `/runs`, which list, read, follow, cancel, answer, signal and remove runs, and list the
 * deliveries of their webhooks. A run belongs to its user. A run without a user is accessible to everyone who knows its
 * id.
 */
export function storedRunRoutes(parts: HttpParts): Route[] {
  return [
    { path: "/runs", get: (exchange) => sendRuns(exchange, parts) },
    {
      path: "/runs/:runId",
      get: async (exchange) => exchange.sendJson(200, toPublicRun((await findRun(exchange, parts)).view)),
      delete: async (exchange) => {
        const { run } = await findRun(exchange, parts);
        await run.service.delete(run.runId, "host");
        exchange.sendEmpty();
      },
    },
    {
      path: "/runs/:runId/deliveries",
      get: async (exchange) => {
        const { run } = await findRun(exchange, parts);
        exchange.sendJson(200, { deliveries: await run.service.webhooks.deliveries(run.runId, "host") });
      },
    },
    { path: "/runs/:runId/events", get: (exchange) => followRun(exchange, parts) },
    { path: "/runs/:runId/cancel", post: (exchange) => cancelRun(exchange, parts) },
    { path: "/runs/:runId/signals", post: (exchange) => takeSignal(exchange, parts) },
    { path: "/runs/:runId/answers/:waitId", post: (exchange) => takeAnswer(exchange, parts) },
  ];
}

async function sendRuns(exchange: Exchange, { service }: HttpParts): Promise<void> {
  const principal = exchange.principal;
  if (principal === undefined) throw new TroupeError("unauthorized", "Sign in to list your runs.");
  const { status, limit, after } = readQuery(exchange, ["status", "limit", "after"]);
  if (status !== undefined && !isStatus(status))
    throw invalid(`status must be ${runStatuses.join(", ")}, or be left out.`);
  const options = {
    status,
    limit: limit === undefined ? undefined : toNumber(limit),
    after,
  };
  const page = (await service.runs?.list(principal, options)) ?? { runs: [] };
  const body: PublicRunPage = { ...page, runs: page.runs.map(toPublicRun) };
  exchange.sendJson(200, body);
}

function isStatus(value: string): value is RunStatus {
  return runStatuses.some((status) => status === value);
}

async function followRun(exchange: Exchange, parts: HttpParts): Promise<void> {
  const { after, events } = readQuery(exchange, ["after", "events"]);
  if (events !== undefined && events !== "all") throw invalid("events must be all, or be left out.");
  const { run, view } = await findRun(exchange, parts);
  run.checkReadable(view);
  exchange.setHeader("X-Run-Id", run.runId).setHeader("X-Session-Id", run.sessionId);
  if (exchange.method === "HEAD") return exchange.send(200, sseHeaders);
  exchange.onLeave(() => run.disconnect());
  await sendEvents(run, exchange, {
    heartbeatMs: parts.service.settings.heartbeatMs,
    early: view.endedAt === undefined,
    isWhole: events === "all",
    // Browsers send `Last-Event-ID` when they reconnect. It is newer than the parameter, which stays the same in the
    // URL.
    after: readLastEventId(exchange) ?? after,
  });
}

async function cancelRun(exchange: Exchange, { service }: HttpParts): Promise<void> {
  const runId = runIdOf(exchange);
  const caller = exchange.principal ?? {};
  exchange.sendJson(200, { runId, status: await service.servedRuns.cancel(runId, caller) });
}

async function takeAnswer(exchange: Exchange, { service, maxBodyBytes }: HttpParts): Promise<void> {
  const body = await exchange.readJsonObject({ maxBytes: maxBodyBytes });
  if (body === undefined) throw invalid('The body must be the answer, such as {"approved": true}.');
  await service.servedRuns.answer(runIdOf(exchange), {
    waitId: String(exchange.params["waitId"]),
    answer: body as Json,
    caller: exchange.principal ?? {},
    mayAnswer: service.mayAnswerFor(exchange),
  });
  exchange.sendEmpty();
}

async function takeSignal(exchange: Exchange, { service, maxBodyBytes }: HttpParts): Promise<void> {
  const body = await exchange.readJsonObject({ maxBytes: maxBodyBytes });
  const { event, data = null, id, ...rest } = (body ?? {}) as Record<string, Json | undefined>;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) {
    throw invalid(`Unknown field ${JSON.stringify(unknown.slice(0, 64))} in the body. Expected event, data or id.`);
  }
  if (typeof event !== "string") throw invalid('event must be a string, such as {"event": "paid", "data": 5}.');
  if (id !== undefined && typeof id !== "string") throw invalid("id must be a string, or be left out.");
  await service.servedRuns.signal(runIdOf(exchange), { event, data, id }, exchange.principal ?? {});
  exchange.sendEmpty();
}

async function findRun(exchange: Exchange, { service }: HttpParts): Promise<FoundRun> {
  return await service.servedRuns.find(runIdOf(exchange), exchange.principal ?? {});
}

function runIdOf({ params }: Exchange): string {
  return String(params["runId"]);
}

function invalid(message: string): TroupeError {
  return new TroupeError("invalid_request", message);
}
