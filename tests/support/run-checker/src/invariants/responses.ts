import { isObject, objectOf } from "@troupe-internal/vendor-fakes";
import type { DeclaredResponses, Evidence, Invariant, RecordedStream } from "../evidence.ts";
import type { SeenResponse } from "../operation-log.ts";

const upstreamStatuses = [502, 503, 504];

/** I8: every response is one that the service declares. */
export const declaredResponses: Invariant = {
  promise: "Every response is declared; 502, 503 and 504 only while upstream or storage fail, and no other 5xx.",
  needs: ["operations", "declared"],
  *violations({ operations, responses = [], declared = {} }: Evidence) {
    const ofTurns = operations.flatMap((one) => (one.type === "invoke" ? [] : (one.response ?? [])));
    for (const response of [...ofTurns, ...responses]) {
      const fault = responseFault(response, declared);
      if (fault !== undefined) yield `${response.route} got ${fault}`;
    }
  },
};

function responseFault({ route, status, body, fault }: SeenResponse, declared: DeclaredResponses): string | undefined {
  if (status >= 500 && !upstreamStatuses.includes(status)) return `${status}, which is never allowed.`;
  if (status >= 500 && fault === undefined) return `${status} though no fault was injected.`;
  const isDeclared = declared[route]?.[status];
  if (isDeclared === undefined) return `${status}, which is not declared.`;
  return isDeclared(body) ? undefined : `${status} with an undeclared body: ${JSON.stringify(body)?.slice(0, 120)}`;
}

/** I9: a stream ends once, and so does each of its tool calls. */
export const streamsEndOnce: Invariant = {
  promise:
    "Every stream ends with exactly one of finish, error and a transport abort, nothing follows, and tool chunks nest.",
  needs: ["streams"],
  *violations({ streams = [] }: Evidence) {
    for (const stream of streams) {
      for (const fault of [...endFaults(stream), ...toolFaults(stream)]) yield `The stream ${stream.name} ${fault}.`;
    }
  },
};

function* endFaults({ chunks, end }: RecordedStream): Generator<string> {
  const types = chunks.map(typeOf);
  const last = types.findIndex((type) => type === "finish" || type === "error");
  if (last === -1 && end === "closed") yield "was closed without finish or error";
  if (last !== -1 && last < types.length - 1)
    yield `continues after ${types[last]} with ${types.slice(last + 1).join(", ")}`;
}

/** The chunks that belong to a tool call which has started. */
const callChunks: ReadonlySet<string> = new Set(["tool_call_delta", "tool_progress", "tool_result", "tool_call_end"]);

function* toolFaults({ chunks }: RecordedStream): Generator<string> {
  const calls = new Map<string, CallState>();
  for (const chunk of chunks) {
    const id = callOf(chunk);
    const type = typeOf(chunk);
    if (type === "tool_call_start") {
      if (calls.has(id)) yield `starts the tool call ${id} twice`;
      calls.set(id, "open");
    } else if (callChunks.has(type)) {
      yield* callFaults(type, id, calls.get(id));
      calls.set(id, stateAfter(type, calls.get(id)));
    } else if (type === "finish") {
      const open = [...calls].filter(([, state]) => state !== "ended").map(([each]) => each);
      if (open.length > 0) yield `finishes with open tool calls: ${open.join(", ")}`;
    }
  }
}

type CallState = "open" | "has a result" | "ended";

function* callFaults(type: string, id: string, state: CallState | undefined): Generator<string> {
  if (state === undefined || state === "ended") yield `has ${type} for the tool call ${id}, which is not open`;
  else if (state === "has a result" && type !== "tool_call_end") {
    yield `has ${type} for the tool call ${id} after its result`;
  } else if (state === "open" && type === "tool_call_end") yield `ends the tool call ${id} without a result`;
}

function stateAfter(type: string, state: CallState = "open"): CallState {
  if (type === "tool_call_end") return "ended";
  return type === "tool_result" ? "has a result" : state;
}

function typeOf(chunk: unknown): string {
  return isObject(chunk) ? String(chunk["type"]) : typeof chunk;
}

function callOf(chunk: unknown): string {
  const { toolCallId, toolCall } = objectOf(chunk);
  return String(toolCallId ?? objectOf(toolCall)["id"]);
}
