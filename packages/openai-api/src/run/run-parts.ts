import type { RunEvent } from "@troupe/core/runs";
import type { ServedStoredRun } from "@troupe/core/transport";
import { callOf } from "./calls.ts";
import type { AskedCall } from "./calls.ts";

/** One part of a run's stored events: up to questions that its client has answered, or the end. */
export type StoredPart = {
  readonly events: readonly RunEvent[];
  readonly waitIds: readonly string[];
  /** The number of attempts up to the end of the part. */
  readonly attempts: number;
};

/**
 * Divides the stored events of a run into parts, one for each response. A part ends where the run waited for answers;
 * the next part begins with the attempt that received them.
 */
export async function readParts({ service, runId, caller }: ServedStoredRun): Promise<StoredPart[]> {
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

/** Returns the tool calls that the events of some parts ask about, by the ids of the calls. */
export function askedCalls(parts: readonly StoredPart[]): Map<string, AskedCall> {
  const asked = parts.flatMap(({ events }) => events.flatMap((event) => (event.type === "wait" ? [event.wait] : [])));
  return new Map(asked.map((wait) => [wait.toolCallId ?? "", callOf(wait)]));
}
