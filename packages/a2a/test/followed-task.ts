import type { RunWait } from "@troupe/core";
import type { RunEvent, RunView } from "@troupe/core/runs";
import { TaskFollower } from "../src/tasks/task-follower.ts";
import type { TaskTail } from "../src/tasks/task-tail.ts";
import { toStatus, toTask } from "../src/tasks/task-view.ts";
import type { TextPlace } from "../src/wire/stream-frames.ts";
import type { A2AEvent } from "../src/wire/task.ts";

export const form = { repeatsAnswer: false };
const ids = { taskId: "r", contextId: "s" };
export const queued: RunView = {
  runId: "r",
  kind: "agent",
  name: "helper",
  sessionId: "s",
  status: "queued",
  createdAt: 1,
  attempts: 0,
};
export const running: RunView = { ...queued, status: "running", startedAt: 2, attempts: 1 };
export const wait: RunWait = { id: "w1", kind: "approval", about: { toolName: "pay" } };
export const ended = (text: string, fields: object = {}): RunView => {
  return { ...running, status: "completed", endedAt: 9, output: { text, ...fields } };
};

export const attempt = (number: number, at = 5): RunEvent => ({
  id: `${number}.0`,
  type: "attempt",
  attempt: number,
  node: "n",
  at,
});
export const chunk = (id: string, step: string, fields: object): RunEvent =>
  ({ id, type: "chunk", step, chunk: fields }) as RunEvent;
export const said = (id: string, text: string, step = "m.0"): RunEvent => chunk(id, step, { type: "text", text });
export const made = (id: string, artifacts: object[], step = "t.0"): RunEvent =>
  chunk(id, step, { type: "tool_result", toolCallId: "c1", toolName: "draw", artifacts });
export const end: RunEvent = { id: "9.0", type: "end", output: null };
export const waits: RunEvent = { id: "8.0", type: "wait", wait };

export type Sent = A2AEvent | [text: string, place: TextPlace];

/** Follows a task: `settled` is its run once it waits or is over. */
export function follow(start: RunView, settled: RunView | undefined, { takesMessage = false, isBehind = false } = {}) {
  const sent: Sent[] = [];
  const gates: (() => void)[] = [];
  const note = (event: Sent): Promise<void> | undefined => {
    sent.push(event);
    return isBehind ? new Promise((resolve) => gates.push(resolve)) : undefined;
  };
  const reader = {
    form,
    takesMessage,
    send: (event: A2AEvent) => note(event),
    sendText: (text: string, place: TextPlace) => note([text, place]),
    endsAt: (state: string) => state === "input-required",
  };
  const until = async () => await Promise.resolve(settled);
  const tail = { task: { view: start }, untilSettled: until, untilEnded: until } as unknown as TaskTail;
  return { follower: new TaskFollower(tail, reader), sent, gates };
}

export async function takeAll(follower: TaskFollower, events: readonly RunEvent[]): Promise<boolean[]> {
  const ends: boolean[] = [];
  for (const event of events) ends.push(await follower.take(event));
  return ends;
}

export const soon = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));
export const task = (run: RunView): A2AEvent => ({ type: "task", task: toTask(run, form) });
export const status = (run: RunView, metadata?: object): A2AEvent => {
  return { type: "status", ...ids, status: toStatus(run, form), ...(metadata && { metadata }) } as A2AEvent;
};
export const artifact = (
  artifactId: string,
  text: string,
  place: { append?: boolean; isLast?: boolean; fields?: object } = {},
) => {
  const { append = false, isLast = true, fields } = place;
  return {
    type: "artifact",
    ...ids,
    artifact: { artifactId, ...fields, parts: [{ kind: "text", text }] },
    append,
    isLast,
  };
};
export const whole = (text: string) => artifact("response", text, { fields: { name: "response" } });
export const working = { type: "status", ...ids, status: { state: "working", at: 5 } };
