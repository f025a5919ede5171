import { TroupeError } from "@troupe/core";
import { checkSessionId } from "@troupe/core/transport";
import type { Request } from "express";
import { principalOf } from "../exchange/exchange.ts";
import { sendJson, sendJsonText } from "../exchange/send-json.ts";
import { readBody } from "../request/read-body.ts";
import { readQuery, toNumber } from "../request/read-query.ts";
import { sendPart } from "../sessions/send-part.ts";
import { TurnPageWriter } from "../sessions/turn-page.ts";
import type { ReadPart } from "../sessions/turn-page.ts";
import type { RouterSettings } from "../settings/router-options.ts";
import type { Route } from "./mount-route.ts";

/**
 * Makes the routes below `/sessions` that list, read, rename and delete sessions, and list and delete their turns: those of the principal.
 * Without one, listing sessions is `unauthorized`, and an id finds only a session without a user.
 */
export function sessionRoutes({ sessions, servedRuns, maxBodyBytes }: RouterSettings): Route[] {
  return [
    {
      path: "/sessions",
      get: async ({ request, response }) => {
        const principal = principalOf(request);
        if (principal === undefined) throw new TroupeError("unauthorized", "Sign in to list your sessions.");
        sendJson(response, 200, await sessions.list(principal, readPage(request)));
      },
    },
    {
      path: "/sessions/:id",
      get: async ({ request, response }) => {
        sendJson(response, 200, await sessions.read(idOf(request), principalOf(request) ?? {}));
      },
      patch: async ({ request, response }) => {
        const title = await readTitle(request, maxBodyBytes);
        sendJson(response, 200, await sessions.rename(idOf(request), principalOf(request) ?? {}, title));
      },
      delete: async ({ request, response }) => {
        const owner = principalOf(request) ?? {};
        await servedRuns.forgetSession(idOf(request), owner);
        await sessions.delete(idOf(request), owner);
        response.writeHead(204).end();
      },
    },
    ...turnRoutes(sessions),
  ];
}

function turnRoutes(sessions: RouterSettings["sessions"]): Route[] {
  return [
    {
      path: "/sessions/:id/turns",
      get: async ({ request, response }) => {
        const { parts, ...page } = readTurnQuery(request);
        const owner = principalOf(request) ?? {};
        const readPart: ReadPart = (place) => sessions.readPart(idOf(request), owner, place);
        const writer = new TurnPageWriter(parts === "inline" ? readPart : undefined);
        const { next } = await sessions.readTurns(idOf(request), owner, { ...page, take: writer.take });
        sendJsonText(response, 200, writer.finish(next));
      },
      delete: async ({ request, response }) => {
        const { from = "" } = readQuery(request, ["from"]);
        await sessions.deleteTurns(idOf(request), principalOf(request) ?? {}, toNumber(from));
        response.writeHead(204).end();
      },
    },
    {
      path: "/sessions/:id/turns/:seq/parts/:index",
      get: async ({ request, response }) => {
        readQuery(request, []);
        const { seq, index } = request.params;
        const place = { seq: toNumber(String(seq)), index: toNumber(String(index)) };
        await sendPart(response, await sessions.readPart(idOf(request), principalOf(request) ?? {}, place));
      },
    },
  ];
}

function idOf(request: Request): string {
  return checkSessionId(request.params["id"]);
}

/** Reads the body of a change of a session: the title, which the session store checks. */
async function readTitle(request: Request, maxBodyBytes: number): Promise<string> {
  const { title, ...rest } = (await readBody(request, { maxBytes: maxBodyBytes })) ?? {};
  const [unknown] = Object.keys(rest);
  if (unknown === undefined) return title as string;
  throw invalid(`Unknown field ${JSON.stringify(unknown.slice(0, 64))} in the body. Expected title.`);
}

/** The part of a list that a query asks for. */
type PageQuery = { limit: number | undefined; after: string | undefined };

/** Reads `limit` and `after` of a query. */
function readPage(request: Request): PageQuery {
  const { limit, after } = readQuery(request, ["limit", "after"]);
  return { limit: limit === undefined ? undefined : toNumber(limit), after };
}

/** Reads the query of a list of turns. */
function readTurnQuery(request: Request) {
  const { limit, after, parts } = readQuery(request, ["limit", "after", "parts"]);
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
