import { TroupeError } from "@troupe/core";
import type { RunTarget } from "@troupe/core/transport";
import type { Request } from "express";
import type { RouterSettings } from "../settings/router-options.ts";
import { readIdempotencyKey, readLastEventId, readRunQuery } from "./read-delivery.ts";

/** Returns true for a request whose run ends with its connection, as far as that can be told without its name. */
export function isPlain({ headers }: Request, { servedRuns, onDisconnect }: RouterSettings): boolean {
  return onDisconnect === "cancel" && headers["idempotency-key"] === undefined && servedRuns.durable === undefined;
}

/**
 * Returns the service that keeps the run of a request: the host's for what it names, and the one of this process for a request
 * with an `Idempotency-Key` and where runs outlive their connections. Undefined for a plain run, which ends with its connection.
 */
export function chooseService(
  request: Request,
  { kind, name }: Pick<RunTarget, "kind" | "name">,
  { servedRuns, onDisconnect }: RouterSettings,
): RunTarget | undefined {
  const key = readIdempotencyKey(request);
  const endsWithClient = onDisconnect === "cancel" || readRunQuery(request).endsWithClient;
  const mustExist = readLastEventId(request) !== undefined;
  const target = servedRuns.keeperOf({ kind, name, key, mustExist, endsWithClient });
  if (target !== undefined && mustExist && key === undefined) throw keyMissing();
  return target;
}

/** Clients that send a POST again by themselves would begin a second run. */
function keyMissing(): TroupeError {
  return new TroupeError(
    "invalid_request",
    "Last-Event-ID needs the Idempotency-Key with which the run was begun. Without one, read the run's events at /runs/:runId/events.",
  );
}
