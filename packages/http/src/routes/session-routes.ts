import { TroupeError } from "@troupe/core";
import { checkSessionId } from "@troupe/core/transport";
import type { Exchange, Route, Service } from "@troupe/core/transport";
import { readQuery, toNumber } from "../request/read-query.ts";
import { sendPart } from "../sessions/send-part.ts";
import { TurnPageWriter } from "../sessions/turn-page.ts";
import type { ReadPart } from "../sessions/turn-page.ts";
import type { HttpParts } from "../settings/http-options.ts";

/**
 * Makes the routes below `/sessions`, which list, read, rename and delete the principal's sessions and turns. Without a
 * principal, listing sessions is `unauthorized`, and an id finds only a session without a user.
 */
export function sessionRoutes({ service, maxBodyBytes }: HttpParts): Route[] {
  const { sessions, servedRuns } = service;
  return [
    {
      path: "/sessions",
      get: async (exchange) => {
        const principal = exchange.principal;
        if (principal === undefined) throw new TroupeError("unauthorized", "Sign in to list your sessions.");
        exchange.sendJson(200, await sessions.list(principal, readPage(exchange)));
      },
    },
    {
      path: "/sessions/:id",
      get: async (exchange) => {
        exchange.sendJson(200, await sessions.read(idOf(exchange), exchange.principal ?? {}));
      },
      patch: async (exchange) => {
        const title = await readTitle(exchange, maxBodyBytes);
        exchange.sendJson(200, await sessions.rename(idOf(exchange), exchange.principal ?? {}, title));
      },
      delete: async (exchange) => {
        const owner = exchange.principal ?? {};
        await servedRuns.forgetSession(idOf(exchange), owner);
        await sessions.delete(idOf(exchange), owner);
        exchange.sendEmpty();
      },
    },
    ...turnRoutes(sessions),
  ];
}

function turnRoutes(sessions: Service["sessions"]): Route[] {
  return [
    {
      path: "/sessions/:id/turns",
      get: async (exchange) => {
        const { parts, ...page } = readTurnQuery(exchange);
        const owner = exchange.principal ?? {};
        const readPart: ReadPart = (place) => sessions.readPart(idOf(exchange), owner, place);
        const writer = new TurnPageWriter(parts === "inline" ? readPart : undefined);
        const { next } = await sessions.readTurns(idOf(exchange), owner, { ...page, take: writer.take });
        exchange.sendJsonText(200, writer.finish(next));
      },
      delete: async (exchange) => {
        const { from = "" } = readQuery(exchange, ["from"]);
        await sessions.deleteTurns(idOf(exchange), exchange.principal ?? {}, toNumber(from));
        exchange.sendEmpty();
      },
    },
    {
      path: "/sessions/:id/turns/:seq/parts/:index",
      get: async (exchange) => {
        readQuery(exchange, []);
        const { seq, index } = exchange.params;
        const place = { seq: toNumber(String(seq)), index: toNumber(String(index)) };
        await sendPart(exchange, await sessions.readPart(idOf(exchange), exchange.principal ?? {}, place));
      },
    },
  ];
}

function idOf(exchange: Exchange): string {
  return checkSessionId(exchange.params["id"]);
}

/** Reads the body of a change to a session: the title, which the session store checks. */
async function readTitle(exchange: Exchange, maxBodyBytes: number): Promise<string> {
  const { title, ...rest } = (await exchange.readJsonObject({ maxBytes: maxBodyBytes })) ?? {};
  const [unknown] = Object.keys(rest);
  if (unknown === undefined) return title as string;
  throw invalid(`Unknown field ${JSON.stringify(unknown.slice(0, 64))} in the body. Expected title.`);
}

/** The requested page of a list. */
type PageQuery = { limit: number | undefined; after: string | undefined };

/** Reads `limit` and `after` from a query. */
function readPage(exchange: Exchange): PageQuery {
  const { limit, after } = readQuery(exchange, ["limit", "after"]);
  return { limit: limit === undefined ? undefined : toNumber(limit), after };
}

/** Reads the query of a list of turns. */
function readTurnQuery(exchange: Exchange) {
  const { limit, after, parts } = readQuery(exchange, ["limit", "after", "parts"]);
  if (parts !== undefined && parts !== "inline") throw invalid("parts must be inline, or be left out.");
  return {
    parts,
    limit: limit === undefined ? undefined : toNumber(limit),
    after: after === undefined ? undefined : toNumber(after),
  };
}

function invalid(message: string): TroupeError {
  return new TroupeError("invalid_request", message);
}
