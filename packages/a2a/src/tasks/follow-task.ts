import { TroupeError } from "@troupe/core";
import type { RunView } from "@troupe/core/runs";
import { isKnown, TaskFollower } from "./task-follower.ts";
import type { TaskReader } from "./task-follower.ts";
import type { TaskTail } from "./task-tail.ts";

/**
 * Sends a task as it is, and then all that changes it, until it is over or waits for its client.
 */
export async function followTask(tail: TaskTail, reader: TaskReader): Promise<void> {
  const follower = new TaskFollower(tail, reader);
  try {
    await follower.begin();
    for (let event = await tail.next(); event !== undefined; event = await tail.next()) {
      if (await follower.take(event)) return;
    }
    if (tail.paused !== undefined) await follower.pause(tail.paused);
  } catch (error) {
    await follower.skipTo(await untilRestingAfter(error, tail));
  } finally {
    follower.end();
  }
}

/** Reads on until a task is over or waits for its client. Returns its run, or undefined when the client has left. */
export async function untilPaused(tail: TaskTail): Promise<RunView | undefined> {
  try {
    return await readUntilPaused(tail);
  } catch (error) {
    return await untilRestingAfter(error, tail);
  }
}

async function readUntilPaused(tail: TaskTail): Promise<RunView | undefined> {
  for (let event = await tail.next(); event !== undefined; event = await tail.next()) {
    if (event.type !== "end" && (event.type !== "wait" || isKnown(tail.task.run, event.wait.id))) continue;
    const run = event.type === "end" ? await tail.untilEnded() : await tail.untilSettled();
    if (run !== undefined) return run;
  }
  return tail.paused;
}

/** A task in memory keeps the newest events alone: for a reader that comes too late, its state and its artifacts are what counts. */
async function untilRestingAfter(error: unknown, tail: TaskTail): Promise<RunView | undefined> {
  if (!TroupeError.is(error) || error.code !== "gone") throw error;
  return await tail.untilResting();
}
