import type { InspectedEvent, InspectedRunDetails, InspectedWait } from "../../src/inspector/inspected-run.ts";
import { isObject } from "../ui/format.ts";
import { finishTree } from "./finish-tree.ts";
import type { UnfoldedRun, OpenStep, RunTree } from "./run-tree.ts";
import { readStepPath, stepOfWait } from "./step-path.ts";
import type { PathPart } from "./step-path.ts";
import { stepOfPath } from "./stream-path.ts";

/** Makes the tree of a run's steps from the events of its log so far. */
export function toRunTree(details: InspectedRunDetails, events: Iterable<InspectedEvent>): RunTree {
  const run: UnfoldedRun = {
    details,
    root: openStep({ key: "", kind: "agent", name: details.run.name }, 1, details.run.startedAt),
    byKey: new Map(),
    attempts: [],
    clockMs: details.run.startedAt ?? details.run.createdAt,
  };
  for (const event of events) readEvent(run, event);
  return finishTree(run);
}

type EventOf<Type extends InspectedEvent["type"]> = Extract<InspectedEvent, { type: Type }>;

type Readers = { readonly [Type in InspectedEvent["type"]]: (run: UnfoldedRun, event: EventOf<Type>) => void };

/** The readers of log events, by type. */
const readers: Readers = {
  attempt: (run, { attempt, node, at }) => {
    run.attempts.push({ number: attempt, node, at });
    passTime(run, at);
  },
  reset: (run, event) => {
    const step = run.byKey.get(event.step);
    if (step === undefined || step.done !== undefined) return;
    step.liveText = step.liveThinking = "";
    step.isLeft = true;
  },
  text: (run, event) => {
    const step = stepAt(run, event.step);
    if (event.isThinking === true) step.liveThinking += event.text;
    else step.liveText += event.text;
  },
  chunk: readChunk,
  call: (run, event) => {
    const step = stepAt(run, event.step);
    step.call = event;
    endWait(run, step, event.at);
    passTime(run, event.at);
  },
  done: readDone,
  wait: (run, { wait }) => readWait(run, wait),
  end: (run, event) => void (run.end = event),
};

function readEvent<Type extends InspectedEvent["type"]>(run: UnfoldedRun, event: EventOf<Type> & { type: Type }): void {
  const reader: Readers[Type] = readers[event.type];
  reader(run, event);
}

function readDone(run: UnfoldedRun, event: EventOf<"done">): void {
  const { note } = readStepPath(event.step);
  const step = stepAt(run, event.step);
  if (note === "turn") step.turn = event.facts;
  else if (note === "end") step.containerEnd = event;
  else step.done = event;
  endWait(run, step, event.at);
  passTime(run, event.at);
}

function readWait(run: UnfoldedRun, wait: InspectedWait): void {
  const step = stepAt(run, stepOfWait(wait.waitId, wait.kind));
  passTime(run, wait.askedAt);
  const key = `${step.part.key}#${wait.waitId}`;
  const known = run.byKey.get(key);
  if (known !== undefined) return;
  const node = openStep({ key, kind: "wait", name: "" }, attemptOf(run), wait.askedAt ?? run.clockMs);
  node.wait = wait;
  run.byKey.set(key, node);
  step.children.push(node);
}

/**
 * Ends the open questions of a step that continues. A question ended when the attempt began that continues with its
 * answer.
 */
function endWait(run: UnfoldedRun, step: OpenStep, at: number | undefined): void {
  for (const child of step.children) {
    if (child.wait === undefined || child.isWaitOver === true) continue;
    child.isWaitOver = true;
    const woken = run.attempts.at(-1)?.at;
    child.waitOverMs = woken !== undefined && woken >= (child.wait.askedAt ?? 0) ? woken : at;
  }
}

/** Reads from a chunk of the run's stream the tool that a model requests, or the status of a workflow step. */
function readChunk(run: UnfoldedRun, { step: key, chunk }: EventOf<"chunk">): void {
  const fields = isObject(chunk) ? chunk : {};
  const { type, step: name, status, toolCall } = fields;
  if (type === "tool_call_start") stepAt(run, key).startedCalls.push(textIn(toolCall, "name"));
  if (type !== "step_start" && type !== "step_end") return;
  const step = stepAt(run, keyInStream(run, typeof name === "string" ? name : ""));
  if (type === "step_end") step.stepStatus = textIn({ status }, "status");
}

/** Returns the key of the workflow step with this path in the stream of the run. */
function keyInStream({ details, byKey }: UnfoldedRun, path: string): string {
  return stepOfPath(path, {
    isName: (name) => details.steps?.some((step) => step.name === name) === true,
    isRepeated: (key) => byKey.has(key),
  });
}

function textIn(fields: unknown, name: string): string {
  const value = (fields as Readonly<Record<string, unknown>> | undefined)?.[name];
  return typeof value === "string" ? value : "";
}

/** Returns the step of a journal key. Creates it and its parents when they are first seen. */
function stepAt(run: UnfoldedRun, key: string): OpenStep {
  if (key === "") return run.root;
  let step = run.root;
  for (const part of readStepPath(key).parts) {
    let next = run.byKey.get(part.key);
    if (next === undefined) {
      next = openStep(part, attemptOf(run), run.clockMs);
      run.byKey.set(part.key, next);
      step.children.push(next);
    } else if (part.kind === "member" && next.part.kind === "tool") {
      (next as { part: PathPart }).part = part;
    }
    next.isLeft = false;
    step = next;
  }
  step.logKey = key;
  return step;
}

function openStep(part: PathPart, attempt: number, seenMs: number | undefined): OpenStep {
  return { part, attempt, seenMs, children: [], liveText: "", liveThinking: "", startedCalls: [] };
}

function attemptOf(run: UnfoldedRun): number {
  return run.attempts.at(-1)?.number ?? 1;
}

function passTime(run: UnfoldedRun, at: number | undefined): void {
  if (at !== undefined && at > (run.clockMs ?? 0)) run.clockMs = at;
}
