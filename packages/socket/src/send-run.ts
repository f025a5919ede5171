import { TroupeError } from "@troupe/core";
import type { StreamChunk } from "@troupe/core";
import { toTroupeError, untilAborted } from "@troupe/core/kit";
import { toPublicWait } from "@troupe/core/transport";
import type { FailureEvent, PublicOutput, ServedEvent, ServedRun } from "@troupe/core/transport";
import { toServerEvent } from "./events.ts";
import type { RunEventBase, RunIds, ServerEvent } from "./events.ts";
import type { SocketClient } from "./socket-client.ts";

/** The ids of a run, its events if they are read already, and the function that sends and logs its failure. */
export type Sending = {
  readonly ids: RunIds;
  /** @default the events of the run from its beginning */
  readonly events?: AsyncIterable<ServedEvent> | undefined;
  readonly fail: (error: TroupeError, origin: RunEventBase) => void;
};

/**
 * Sends a client the events of a run that it has started or follows, no faster than the client reads. Resolves when the
 * run is over or the client has left.
 */
export async function sendRun(client: SocketClient, run: ServedRun, { ids, events, fail }: Sending): Promise<void> {
  const { isStored, signal } = run;
  try {
    const failure = await pass(client, events ?? run.events(), { ids, signal });
    if (failure !== undefined) fail(failure.error, originOf(failure, ids));
  } catch (thrown) {
    if (!isStored || !hasLeft(signal)) fail(toTroupeError(thrown, signal), ids);
  }
}

/** Passes the events of a run on to its client. Returns the failure that ends them. */
async function pass(
  client: SocketClient,
  events: AsyncIterable<ServedEvent>,
  { ids, signal }: { ids: RunIds; signal: AbortSignal },
): Promise<FailureEvent | undefined> {
  for await (const event of events) {
    if (event.type === "failure") return event;
    const origin = originOf(event, ids);
    const shown = event.type === "end" ? await toDone(event, origin) : toRunEvent(event, origin);
    if (shown === undefined) continue;
    // Room is checked again after each wait, because other waiting runs may have sent first. The check here avoids an
    // async call per chunk.
    while (!client.hasRoom) await untilRoom(client, shown, signal);
    client.send(shown);
  }
  return undefined;
}

/** Returns the fields of an event's payload that identify its run. Only events of stored runs also have positions. */
function originOf({ id }: ServedEvent, ids: RunIds): RunEventBase {
  return id === undefined ? ids : { ...ids, id };
}

/**
 * Returns true if the signal of a stored run has aborted because the client has left. If the service ends instead, the
 * signal's reason is a `TroupeError`.
 */
function hasLeft({ aborted, reason }: AbortSignal): boolean {
  return aborted && !TroupeError.is(reason);
}

/** Waits until the client may have room for an event. Several runs may wait, so another run may take the room first. */
async function untilRoom(client: SocketClient, event: ServerEvent, signal: AbortSignal): Promise<void> {
  await untilAborted(() => client.untilRoom(event), signal);
}

async function toDone(event: Extract<ServedEvent, { type: "end" }>, origin: RunEventBase): Promise<ServerEvent> {
  return ["agent.done", { ...origin, output: (await event.readOutput()) as PublicOutput }];
}

function toRunEvent(event: ServedEvent, origin: RunEventBase): ServerEvent | undefined {
  if (event.type === "chunk") return toServerEvent(event.chunk as StreamChunk, origin);
  return event.type === "wait" ? ["agent.wait", { ...origin, ...toPublicWait(event.wait) }] : undefined;
}
