import { readPrincipal } from "../principal.ts";
import type { RouterSettings } from "../router-options.ts";
import { sendJson } from "../send-json.ts";
import type { Route } from "./route.ts";

/** Ends a run as cancelled: for who began it, or without a principal for whoever knows its id. */
export function cancelRoute({ runs }: RouterSettings): Route {
  return {
    path: "/runs/:runId/cancel",
    post: ({ request, response }) => {
      const runId = String(request.params["runId"]);
      runs.cancel(runId, readPrincipal(request) ?? {});
      sendJson(response, 200, { runId, status: "cancelled" });
    },
  };
}
