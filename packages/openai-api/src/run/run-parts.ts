import type { RunEvent } from "@troupe/core/runs";
import type { StoredRun } from "@troupe/core/transport";
import { callOf } from "./calls.ts";
import type { AskedCall } from "./calls.ts";

/** One part of the stored events of a run: up to the questions that its client has answered. */
export type StoredPart = {
  readonly events: readonly RunEvent[];
  readonly waitIds: readonly string[];
  /** The number of attempts until the end of the part. */
  readonly attempts: number;
};

/**
 * Divides the stored events of a run into parts. A part ends where the run has waited: the next one begins with the
 * attempt that has the answers.
 */
export async function readParts({ service, runId, caller }: StoredRun): Promise<StoredPart[]> {
  const parts: StoredPart[] = [];
  let events: RunEvent[] = [];
  let waitIds: string[] = [];
  let attempts = 0;
  const close = (): void => {
    parts.push({ events, waitIds, attempts });
    [events, waitIds] = [[], []];
  };
  for await (const event of service.storedEvents(runId, caller)) {
    if (event.type === "attempt") {
      if (waitIds.length > 0) close();
      attempts = event.attempt;
    }
    if (event.type === "wait") waitIds.push(event.wait.id);
    events.push(event);
  }
  close();
  return parts;
}

/** Returns the calls that some events ask about, by the ids of the calls. */
export function askedCalls(parts: readonly StoredPart[]): Map<string, AskedCall> {
  const asked = parts.flatMap(({ events }) => events.flatMap((event) => (event.type === "wait" ? [event.wait] : [])));
  return new Map(asked.map((wait) => [wait.toolCallId ?? "", callOf(wait)]));
}
