import { TroupeError } from "@troupe/core";
import { toTroupeError, withTimeout } from "@troupe/core/kit";
import type { Route, Service } from "@troupe/core/transport";
import type { HttpParts } from "../settings/http-options.ts";

/** Milliseconds after which a storage without an answer counts as unavailable. */
const checkTimeoutMs = 1000;

/**
 * Makes the routes `/health` and `/ready`. `/health` succeeds while the process lives. `/ready` succeeds if the service
 * accepts new runs, durable runs have a performer, and all storages can be read and written; otherwise it answers 503.
 * Neither reveals anything else.
 */
export function healthRoutes({ service }: Pick<HttpParts, "service">): Route[] {
  return [
    { path: "/health", isPublic: true, get: (exchange) => exchange.sendJson(200, { status: "ok" }) },
    {
      path: "/ready",
      isPublic: true,
      get: async (exchange) => {
        service.closeIfDraining(exchange);
        service.servedRuns.checkOpen();
        await checkStorages(service.sessions);
        await service.servedRuns.checkReady();
        exchange.sendJson(200, { status: "ready" });
      },
    },
  ];
}

/** Checks the storages. The log contains the storage that failed and the reason; the client does not learn them. */
async function checkStorages(sessions: Service["sessions"]): Promise<void> {
  const onTimeout = (): never => {
    throw new Error(`The storage did not answer within ${checkTimeoutMs} ms.`);
  };
  try {
    await withTimeout(sessions.checkUsable(), { timeoutMs: checkTimeoutMs, onTimeout });
  } catch (cause) {
    throw new TroupeError("storage_unavailable", "The storage cannot be used.", { cause: toTroupeError(cause) });
  }
}
