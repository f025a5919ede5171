import { TroupeError } from "@troupe/core";
import type { Json } from "@troupe/core";
import type { RunStatus } from "@troupe/core/runs";
import { toPublicRun } from "@troupe/core/transport";
import type { FoundRun } from "@troupe/core/transport";
import type { Request } from "express";
import { answerTail, followRun } from "../answer/answer-tail.ts";
import { streamHead } from "../answer/event-stream.ts";
import { principalOf } from "../exchange/exchange.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { sendJson } from "../exchange/send-json.ts";
import { readBody } from "../request/read-body.ts";
import { readLastEventId } from "../request/read-delivery.ts";
import { readQuery, toNumber } from "../request/read-query.ts";
import type { RouterSettings } from "../settings/router-options.ts";
import type { Route } from "./mount-route.ts";

/** A page of the principal's durable runs. `next` is the `after` of the next page. */
export type PublicRunPage = { runs: ReturnType<typeof toPublicRun>[]; next?: string };

/**
 * Makes the routes below `/runs`: they list, read, follow, cancel, answer and remove runs. A run belongs to its user, and one
 * without a user to everyone who knows its id.
 */
export function keptRunRoutes(settings: RouterSettings): Route[] {
  return [
    { path: "/runs", get: (exchange) => sendRuns(exchange, settings) },
    {
      path: "/runs/:runId",
      get: async ({ request, response }) =>
        sendJson(response, 200, toPublicRun((await findRun(request, settings)).run)),
      delete: async ({ request, response }) => {
        const { service, run } = await findRun(request, settings);
        await service.delete(run.runId, "host");
        response.writeHead(204).end();
      },
    },
    { path: "/runs/:runId/events", get: (exchange) => sendEvents(exchange, settings) },
    { path: "/runs/:runId/cancel", post: (exchange) => cancelRun(exchange, settings) },
    { path: "/runs/:runId/answers/:waitId", post: (exchange) => takeAnswer(exchange, settings) },
  ];
}

const statuses: readonly string[] = [
  "queued",
  "running",
  "waiting",
  "completed",
  "error",
  "cancelled",
] satisfies RunStatus[];

async function sendRuns({ request, response }: Exchange, { servedRuns }: RouterSettings): Promise<void> {
  const principal = principalOf(request);
  if (principal === undefined) throw new TroupeError("unauthorized", "Sign in to list your runs.");
  const { status, limit, after } = readQuery(request, ["status", "limit", "after"]);
  if (status !== undefined && !statuses.includes(status))
    throw invalid(`status must be ${statuses.join(", ")}, or be left out.`);
  const options = {
    status: status as RunStatus | undefined,
    limit: limit === undefined ? undefined : toNumber(limit),
    after,
  };
  const page = (await servedRuns.durable?.list(principal, options)) ?? { runs: [] };
  const body: PublicRunPage = { ...page, runs: page.runs.map(toPublicRun) };
  sendJson(response, 200, body);
}

async function sendEvents(exchange: Exchange, settings: RouterSettings): Promise<void> {
  const { request, response } = exchange;
  const { after, events } = readQuery(request, ["after", "events"]);
  if (events !== undefined && events !== "all") throw invalid("events must be all, or be left out.");
  const found = await findRun(request, settings);
  settings.servedRuns.checkKept(found);
  const { service, run } = found;
  response.setHeader("X-Run-Id", run.runId).setHeader("X-Session-Id", run.sessionId);
  if (request.method === "HEAD") return void response.writeHead(200, streamHead).end();
  // Express keeps its way to this route there: memory that would be held for as long as the stream lasts.
  (request as { next?: unknown }).next = undefined;
  const { runId, kind } = run;
  const caller = principalOf(request) ?? {};
  // What a browser has seen since counts, and not what its page began with.
  const followed = { service, runId, kind, caller, after: readLastEventId(request) ?? after };
  const tail = followRun(exchange, followed, settings);
  try {
    const isOpen = run.endedAt === undefined;
    await answerTail(tail, exchange, { heartbeatMs: settings.heartbeatMs, early: isOpen, isWhole: events === "all" });
  } finally {
    tail.end();
  }
}

async function cancelRun({ request, response }: Exchange, settings: RouterSettings): Promise<void> {
  const runId = runIdOf(request);
  const caller = principalOf(request) ?? {};
  sendJson(response, 200, { runId, status: await settings.servedRuns.cancel(runId, caller) });
}

async function takeAnswer(exchange: Exchange, settings: RouterSettings): Promise<void> {
  const { request, response } = exchange;
  const body = await readBody(request, { maxBytes: settings.maxBodyBytes });
  if (body === undefined) throw invalid('The body must be the answer, such as {"approved": true}.');
  const { mayAnswer, servedRuns } = settings;
  await servedRuns.answer(runIdOf(request), {
    waitId: String(request.params["waitId"]),
    answer: body as Json,
    caller: principalOf(request) ?? {},
    mayAnswer: mayAnswer && ((wait) => mayAnswer(request, wait)),
  });
  response.writeHead(204).end();
}

async function findRun(request: Request, { servedRuns }: RouterSettings): Promise<FoundRun> {
  return await servedRuns.find(runIdOf(request), principalOf(request) ?? {});
}

function runIdOf(request: Request): string {
  return String(request.params["runId"]);
}

function invalid(message: string): TroupeError {
  return new TroupeError("invalid_request", message);
}
