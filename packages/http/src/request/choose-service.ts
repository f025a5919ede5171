import { TroupeError } from "@troupe/core";
import type { RunKind, RunService } from "@troupe/core";
import type { Request } from "express";
import type { RouterSettings } from "../settings/router-options.ts";
import { readIdempotencyKey, readLastEventId, readRunQuery } from "./read-delivery.ts";

/** The runnable of a request, and the service that keeps its run. */
export type KeptTarget = {
  readonly kind: RunKind;
  readonly name: string;
  readonly service: RunService;
  /** True for the host's service, whose runs outlive the process. */
  readonly isDurable: boolean;
  /** The `Idempotency-Key` of the request. */
  readonly key: string | undefined;
  /** True if the client goes on with a stream: there must be a run of its key. */
  readonly mustExist: boolean;
};

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
  { kind, name }: Pick<KeptTarget, "kind" | "name">,
  { servedRuns, onDisconnect }: RouterSettings,
): KeptTarget | undefined {
  const key = readIdempotencyKey(request);
  const durable = servedRuns.durableFor(kind, name);
  const endsWithClient = onDisconnect === "cancel" || readRunQuery(request).endsWithClient;
  if (durable === undefined && key === undefined && endsWithClient) return undefined;
  const mustExist = readLastEventId(request) !== undefined;
  if (mustExist && key === undefined) throw keyMissing();
  return { kind, name, service: durable ?? servedRuns.kept, isDurable: durable !== undefined, key, mustExist };
}

/** Clients that send a POST again by themselves would begin a second run. */
function keyMissing(): TroupeError {
  return new TroupeError(
    "invalid_request",
    "Last-Event-ID needs the Idempotency-Key with which the run was begun. Without one, read the run's events at /runs/:runId/events.",
  );
}
