import { TroupeError } from "@troupe/core";
import { toTroupeError, withTimeout } from "@troupe/core/kit";
import { sendJson } from "../exchange/send-json.ts";
import type { ServedSessions } from "../sessions/served-sessions.ts";
import type { RouterSettings } from "../settings/router-options.ts";
import type { Route } from "./mount-route.ts";

/** Milliseconds after which a storage that does not answer counts as unavailable. */
const checkTimeoutMs = 1000;

/**
 * Makes the routes `/health` (the process lives) and `/ready` (it takes new runs, something performs the
 * durable ones, and its storages answer and can be written to; else 503).
 * They show nothing else of the service.
 */
export function healthRoutes({ servedRuns, sessions }: RouterSettings): Route[] {
  return [
    { path: "/health", get: ({ response }) => sendJson(response, 200, { status: "ok" }) },
    {
      path: "/ready",
      get: async ({ response }) => {
        if (servedRuns.isDraining) response.setHeader("Connection", "close");
        servedRuns.checkOpen();
        await checkStorages(sessions);
        await servedRuns.checkReady();
        sendJson(response, 200, { status: "ready" });
      },
    },
  ];
}

/** Hides from the client which storage failed and why: both go to the log. */
async function checkStorages(sessions: ServedSessions): Promise<void> {
  const onTimeout = (): never => {
    throw new Error(`The storage did not answer within ${checkTimeoutMs} ms.`);
  };
  try {
    await withTimeout(sessions.checkUsable(), { timeoutMs: checkTimeoutMs, onTimeout });
  } catch (cause) {
    throw new TroupeError("storage_unavailable", "The storage cannot be used.", { cause: toTroupeError(cause) });
  }
}
