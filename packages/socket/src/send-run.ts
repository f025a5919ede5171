import { TroupeError } from "@troupe/core";
import type { StreamChunk } from "@troupe/core";
import type { RunEvent } from "@troupe/core/runs";
import { toTroupeError, untilAborted } from "@troupe/core/kit";
import { completeOutput, toPublicOutput, toPublicWait, toStreamFailure } from "@troupe/core/transport";
import type { ClientRun, ClientTail, PublicOutput } from "@troupe/core/transport";
import { toServerEvent } from "./events.ts";
import type { EventOrigin, RunIds, ServerEvent } from "./events.ts";
import type { RunMessage } from "./read-request.ts";
import type { SocketClient } from "./socket-client.ts";

/** Tells the client, and the log, of the failure with which a run or its following ends. */
type Fail = (error: TroupeError, origin: EventOrigin) => void;

/** Runs an agent or a team for a client and sends it the events of the run, at the pace of its reading. */
export async function sendRun(
  client: SocketClient,
  run: ClientRun,
  message: RunMessage & { fail: Fail },
): Promise<void> {
  const { name, requested, fail } = message;
  const { subject, input, opts } = requested;
  const { signal } = run;
  const ids: RunIds = { runId: opts.runId, name, sessionId: opts.sessionId };
  try {
    const startedAt = performance.now();
    const stream = subject.stream(input, { ...opts, signal });
    for await (const chunk of stream) {
      const event = toServerEvent(chunk, ids);
      if (event === undefined) continue;
      // Asked here, since other runs that waited may send first. Not a call of an async function for each chunk.
      while (!client.hasRoom) await untilRoom(client, event, signal);
      client.send(event);
    }
    const output = toPublicOutput(completeOutput(await stream.output, opts, startedAt));
    const done: ServerEvent = ["agent.done", { ...ids, output }];
    while (!client.hasRoom) await untilRoom(client, done, signal);
    client.send(done);
  } catch (thrown) {
    fail(run.fail(thrown), ids);
  } finally {
    run.end();
  }
}

/** Sends the events of a kept run to a client that follows it, until the run ends or the client leaves. */
export async function sendTail(
  client: SocketClient,
  tail: ClientTail,
  { ids, fail }: { ids: RunIds; fail: Fail },
): Promise<void> {
  try {
    for (let event = await tail.next(); event !== undefined; event = await tail.next()) {
      const origin = { ...ids, id: event.id };
      const error = toStreamFailure(event, { runId: ids.runId, kind: tail.run.kind, isWhole: false });
      if (error !== undefined) return fail(error, origin);
      const shown = toKeptEvent(event, origin);
      if (shown === undefined) continue;
      while (!client.hasRoom) await untilRoom(client, shown, tail.signal);
      client.send(shown);
    }
  } catch (thrown) {
    if (!tail.signal.aborted || TroupeError.is(tail.signal.reason)) fail(toTroupeError(thrown), ids);
  } finally {
    tail.end();
  }
}

/** Waits until the client may have room for an event. Other runs wait too, and one goes first. */
async function untilRoom(client: SocketClient, event: ServerEvent, signal: AbortSignal): Promise<void> {
  await untilAborted(() => client.untilRoom(event), signal);
}

function toKeptEvent(event: RunEvent, origin: EventOrigin): ServerEvent | undefined {
  switch (event.type) {
    case "chunk":
      return toServerEvent(event.chunk as StreamChunk, origin);
    case "wait":
      return ["agent.wait", { ...origin, ...toPublicWait(event.wait) }];
    case "end":
      return ["agent.done", { ...origin, output: toPublicOutput(event.output as unknown as PublicOutput) }];
    default:
      return undefined;
  }
}
