import { TroupeError } from "@troupe/core";
import type { RunView } from "@troupe/core/runs";
import { isKnown, TaskFollower } from "./task-follower.ts";
import type { TaskReader } from "./task-follower.ts";
import type { TaskTail } from "./task-tail.ts";

/**
 * Sends a task in its present state to its reader, then all changes of the task, until it is over or waits for its
 * client.
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

/**
 * Reads events until a task is over or waits for its client. Returns its run, or undefined if the client has
 * disconnected.
 */
export async function untilPaused(tail: TaskTail): Promise<RunView | undefined> {
  try {
    return await readUntilPaused(tail);
  } catch (error) {
    return await untilRestingAfter(error, tail);
  }
}

async function readUntilPaused(tail: TaskTail): Promise<RunView | undefined> {
  for (let event = await tail.next(); event !== undefined; event = await tail.next()) {
    if (event.type !== "end" && (event.type !== "wait" || isKnown(tail.task.view, event.wait.id))) continue;
    const run = event.type === "end" ? await tail.untilEnded() : await tail.untilSettled();
    if (run !== undefined) return run;
  }
  return tail.paused;
}

/**
 * Waits for the end or the next wait of a task whose earlier events were dropped: a task in memory keeps only the
 * newest events. A late reader then gets the task's state and artifacts. Rethrows any other error.
 */
async function untilRestingAfter(error: unknown, tail: TaskTail): Promise<RunView | undefined> {
  if (!TroupeError.is(error) || error.code !== "gone") throw error;
  return await tail.untilResting();
}
