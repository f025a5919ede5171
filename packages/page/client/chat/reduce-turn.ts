import type { AnswerEvent, FinishEvent, RunEvent, TextEvent, Wait } from "@troupe-internal/client";
import { isUnderWay, newTurn } from "./turn.ts";
import type { AnswerPart, StepPart, ToolPart, Turn } from "./turn.ts";

type Parts = readonly AnswerPart[];

/**
 * Returns the turn after an event of its run. `at`: the time of arrival in milliseconds. Unknown events change nothing.
 */
export function reduceTurn(turn: Turn, event: RunEvent, at: number): Turn {
  switch (event.type) {
    case "finish":
      return finished(turn, event, at);
    case "error": {
      const status = event.error.code === "cancelled" ? "cancelled" : "failed";
      return { ...ended(turn, at), status, ...(status === "failed" && { failure: event.error }) };
    }
    case "source":
      return turn.sources.some(({ id }) => id === event.id) ? turn : { ...turn, sources: [...turn.sources, event] };
    case "chunk":
      return event.chunk.type === "source" ? reduceTurn(turn, event.chunk, at) : advanced(turn, event, at);
    default:
      return advanced(turn, event, at);
  }
}

/** Returns the turn after several events of its run, which are shown together. */
export function reduceEvents(turn: Turn, events: readonly RunEvent[]): Turn {
  const now = performance.now();
  const { isBroken: _, ...reached } = turn;
  return events.reduce<Turn>((current, event) => reduceTurn(current, event, now), reached);
}

/** Returns a turn whose answer starts again, because another process continues its run. */
export function restartTurn(turn: Turn): Turn {
  const { key, kind, name, question, runId, startedAt } = turn;
  const times = { ...(runId !== undefined && { runId }), ...(startedAt !== undefined && { startedAt }) };
  return { ...newTurn({ key, kind, name, question }), ...times };
}

/** Returns the turn without an answered question. */
export function withoutWait(turn: Turn, waitId: string): Turn {
  const parts = mapParts(turn.parts, (part) => {
    if (part.type !== "tool" || part.wait?.waitId !== waitId) return part;
    const { wait: _, ...rest } = part;
    return rest;
  }).filter((part) => part.type !== "wait" || part.wait.waitId !== waitId);
  // The run may have ended before the answer to its question was accepted, so its status is not changed then.
  return { ...turn, parts, status: isUnderWay(turn) ? statusOf(parts) : turn.status };
}

function finished(turn: Turn, { usage, stored, result }: FinishEvent, at: number): Turn {
  const used = result?.usage ?? usage;
  const parts: Parts = result === undefined ? turn.parts : [...turn.parts, { type: "state", state: result.state }];
  return {
    ...ended(turn, at),
    parts,
    status: "completed",
    ...(used !== undefined && { usage: used }),
    ...((stored ?? result?.stored) === false && { isUnstored: true }),
  };
}

/** Returns a turn whose run has ended: without open questions, and with its duration. */
function ended(turn: Turn, at: number): Turn {
  const { startedAt } = turn;
  const parts = mapParts(turn.parts, (part) => {
    if (part.type !== "tool") return part;
    const { wait: _, ...rest } = part;
    return rest;
  }).filter(({ type }) => type !== "wait");
  return { ...turn, parts, ...(startedAt !== undefined && { durationMs: at - startedAt }) };
}

type PartEvent = Exclude<RunEvent, FinishEvent | { type: "error" | "source" }>;

function advanced(turn: Turn, event: PartEvent, at: number): Turn {
  const parts = reduceParts(turn.parts, event);
  if (parts === turn.parts) return turn;
  const isFirst = turn.firstTokenMs === undefined && turn.startedAt !== undefined && isToken(event);
  return {
    ...turn,
    parts,
    status: statusOf(parts),
    ...(isFirst && { firstTokenMs: at - (turn.startedAt ?? at) }),
  };
}

function isToken(event: PartEvent): boolean {
  const { type } = event.type === "chunk" ? event.chunk : event;
  return type === "text" || type === "thinking";
}

function reduceParts(parts: Parts, event: PartEvent): Parts {
  switch (event.type) {
    case "step_start":
      return [...parts, { type: "step", name: event.step, parts: [] }];
    case "step_retry":
      return changeStep(parts, event.step, (step) => ({ ...step, parts: [] }));
    case "step_end": {
      const { step: name, status, durationMs } = event;
      const left = parts.filter((part) => part.type !== "wait" || pathOfWait(part.wait.waitId) !== name);
      return changeStep(left, name, (step) => ({ ...step, status, durationMs }));
    }
    case "chunk": {
      const { chunk } = event;
      if (chunk.type === "finish") return parts;
      return changeStep(parts, event.step, (step) => ({ ...step, parts: reduceAnswer(step.parts, chunk) }));
    }
    default:
      return reduceAnswer(parts, event);
  }
}

/** Returns the path of the workflow step that waits, such as `cities/0/ask`, from the id of its question. */
function pathOfWait(waitId: string): string {
  const tokens = waitId.split(".");
  const path: string[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? "";
    if (token === "w") path.push(decodeName(tokens[++at] ?? ""));
    else if (/^\d+$/.test(token)) path.push(token);
    else break;
  }
  return path.join("/");
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function reduceAnswer(parts: Parts, event: AnswerEvent): Parts {
  switch (event.type) {
    case "text":
    case "thinking":
      return event.member === undefined ? withText(parts, event) : withSaid(parts, event);
    case "tool_call_start":
      return [...parts, { type: "tool", id: event.toolCall.id, name: event.toolCall.name, args: "" }];
    case "tool_call_delta":
      return changeTool(parts, event.toolCallId, (tool) => ({ ...tool, args: tool.args + event.argumentsDelta }));
    case "tool_progress":
      return changeTool(parts, event.toolCallId, (tool) => ({ ...tool, progress: event.progress }));
    case "tool_result":
      return withResult(parts, event);
    case "wait":
      return withWait(parts, event);
    default:
      return parts;
  }
}

function withText(parts: Parts, { type, text, speaker }: TextEvent): Parts {
  const last = parts.at(-1);
  const spoken = speaker === undefined ? {} : { speaker };
  if (last?.type === type && last.speaker === speaker) {
    return [...parts.slice(0, -1), { type, text: last.text + text, ...spoken }];
  }
  return text === "" ? parts : [...parts, { type, text, ...spoken }];
}

/** Adds the text of a team's member to the tool call that delegated to it. */
function withSaid(parts: Parts, { type, text, delegationId }: TextEvent): Parts {
  if (type !== "text" || delegationId === undefined) return parts;
  return changeTool(parts, delegationId, (tool) => ({ ...tool, said: (tool.said ?? "") + text }));
}

function withResult(parts: Parts, event: Extract<AnswerEvent, { type: "tool_result" }>): Parts {
  const { toolCallId, toolName, type: _, ...outcome } = event;
  // A tool call that a workflow step made itself has no start event.
  const known = parts.some((part) => part.type === "tool" && part.id === toolCallId)
    ? parts
    : [...parts, { type: "tool" as const, id: toolCallId, name: toolName, args: "" }];
  return changeTool(known, toolCallId, (tool) => {
    const { wait: _wait, progress: _progress, said: _said, ...rest } = tool;
    return { ...rest, outcome };
  });
}

function withWait(parts: Parts, event: { type: "wait" } & Wait): Parts {
  const { type: _, ...wait } = event;
  const { toolCallId } = wait;
  const isOfTool = toolCallId !== undefined && hasTool(parts, toolCallId);
  if (isOfTool)
    return mapParts(parts, (part) => (part.type === "tool" && part.id === toolCallId ? { ...part, wait } : part));
  const others = parts.filter((part) => part.type !== "wait" || part.wait.waitId !== wait.waitId);
  return [...others, { type: "wait", wait }];
}

function hasTool(parts: Parts, id: string): boolean {
  return parts.some((part) =>
    part.type === "tool" ? part.id === id : part.type === "step" && hasTool(part.parts, id),
  );
}

/**
 * Returns the parts of an answer with one tool call changed: the last call with that id, because ids may be reused in
 * another round trip.
 */
function changeTool(parts: Parts, id: string, change: (tool: ToolPart) => ToolPart): Parts {
  return changeLast(
    parts,
    (part) => part.type === "tool" && part.id === id,
    (part) => change(part as ToolPart),
  );
}

function changeStep(parts: Parts, name: string, change: (step: StepPart) => StepPart): Parts {
  return changeLast(
    parts,
    (part) => part.type === "step" && part.name === name,
    (part) => change(part as StepPart),
  );
}

function changeLast(
  parts: Parts,
  matches: (part: AnswerPart) => boolean,
  change: (part: AnswerPart) => AnswerPart,
): Parts {
  const index = parts.findLastIndex(matches);
  const found = parts[index];
  return found === undefined ? parts : parts.with(index, change(found));
}

function mapParts(parts: Parts, change: (part: AnswerPart) => AnswerPart): AnswerPart[] {
  return parts.map((part) => change(part.type === "step" ? { ...part, parts: mapParts(part.parts, change) } : part));
}

/** Returns `waiting` if a question of the run is open in these parts, else `running`. */
function statusOf(parts: Parts): "running" | "waiting" {
  const waits = (part: AnswerPart): boolean => {
    if (part.type === "step") return part.parts.some(waits);
    return part.type === "wait" || (part.type === "tool" && part.wait !== undefined);
  };
  return parts.some(waits) ? "waiting" : "running";
}
