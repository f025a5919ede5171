import { TroupeError } from "@troupe/core";
import { checkSessionId } from "@troupe/core/adapter";
import type { Request } from "express";
import { readPrincipal } from "../principal.ts";
import { readPage, toNumber } from "../request/read-page.ts";
import type { RouterSettings } from "../router-options.ts";
import { sendJson } from "../send-json.ts";
import { toPublicTurn } from "../sessions/to-public-turn.ts";
import type { Route } from "./route.ts";

/** The sessions of who is signed in, and those that belong to nobody for whoever knows their ids. */
export function sessionRoutes({ sessions }: RouterSettings): Route[] {
  return [
    {
      path: "/sessions",
      get: async ({ request, response }) => {
        const principal = readPrincipal(request);
        if (principal === undefined) throw nobody();
        sendJson(response, 200, await sessions.list(principal, readPage(request)));
      },
    },
    {
      path: "/sessions/:id",
      get: async ({ request, response }) => {
        sendJson(response, 200, await sessions.read(idOf(request), readPrincipal(request) ?? {}));
      },
      delete: async ({ request, response }) => {
        await sessions.delete(idOf(request), readPrincipal(request) ?? {});
        response.writeHead(204).end();
      },
    },
    {
      path: "/sessions/:id/turns",
      get: async ({ request, response }) => {
        const { limit, after } = readPage(request);
        const page = { limit, after: after === undefined ? undefined : toNumber(after) };
        const { turns, ...next } = await sessions.readTurns(idOf(request), readPrincipal(request) ?? {}, page);
        sendJson(response, 200, { turns: turns.map(toPublicTurn), ...next });
      },
    },
  ];
}

function idOf(request: Request): string {
  return checkSessionId(request.params["id"]);
}

function nobody(): TroupeError {
  return new TroupeError("unauthorized", "Sessions are listed for who is signed in, and nobody is.");
}
