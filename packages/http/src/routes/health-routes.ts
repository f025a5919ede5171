import { TroupeError } from "@troupe/core";
import { toTroupeError, withTimeout } from "@troupe/core/adapter";
import type { RouterSettings } from "../router-options.ts";
import { sendJson } from "../send-json.ts";
import type { Route } from "./route.ts";

/** A storage that takes longer counts as gone. */
const longestPingMs = 1000;

/** Whether the process lives, and whether it should be given requests. Neither says anything else about it. */
export function healthRoutes({ runs, sessions }: RouterSettings): Route[] {
  return [
    { path: "/health", get: ({ response }) => sendJson(response, 200, { status: "ok" }) },
    {
      path: "/ready",
      get: async ({ response }) => {
        if (runs.isDraining) throw new TroupeError("unavailable", "The service is shutting down.");
        await withinTime(sessions.ping());
        sendJson(response, 200, { status: "ready" });
      },
    },
  ];
}

/** Which storage it is, and what is wrong with it, is for the log. */
async function withinTime(pinged: Promise<void>): Promise<void> {
  const onTimeout = (): never => {
    throw new Error("The storage did not answer in time.");
  };
  try {
    await withTimeout(pinged, { timeoutMs: longestPingMs, onTimeout });
  } catch (cause) {
    throw new TroupeError("storage_unavailable", "The storage cannot be reached.", { cause: toTroupeError(cause) });
  }
}
