import { isObject, objectOf } from "@troupe-internal/vendor-fakes";
import type { Evidence, Invariant, RecordedStream } from "../evidence.ts";

/** I9: a stream has one end and its tool calls have one each. */
export const streamsEndOnce: Invariant = {
  promise:
    "Every stream ends with exactly one of finish, error and a transport abort, nothing follows, and tool chunks nest.",
  needs: ["streams"],
  *breaches({ streams = [] }: Evidence) {
    for (const stream of streams) {
      for (const breach of [...endBreaches(stream), ...toolBreaches(stream)])
        yield `The stream ${stream.name} ${breach}.`;
    }
  },
};

function* endBreaches({ chunks, end }: RecordedStream): Generator<string> {
  const types = chunks.map(typeOf);
  const last = types.findIndex((type) => type === "finish" || type === "error");
  if (last === -1 && end === "closed") yield "was closed without finish or error";
  if (last !== -1 && last < types.length - 1)
    yield `goes on behind ${types[last]} with ${types.slice(last + 1).join(", ")}`;
}

function* toolBreaches({ chunks }: RecordedStream): Generator<string> {
  const open = new Set<string>();
  const known = new Set<string>();
  for (const chunk of chunks) {
    const id = callOf(chunk);
    const type = typeOf(chunk);
    if (type === "tool_call_start") {
      if (known.has(id)) yield `starts the tool call ${id} twice`;
      known.add(id);
      open.add(id);
    } else if (type === "tool_call_delta" || type === "tool_call_end") {
      if (!open.has(id)) yield `has ${type} for the tool call ${id}, which is not open`;
      if (type === "tool_call_end") open.delete(id);
    } else if (type === "finish" && open.size > 0) yield `finishes with open tool calls: ${[...open].join(", ")}`;
  }
}

function typeOf(chunk: unknown): string {
  return isObject(chunk) ? String(chunk["type"]) : typeof chunk;
}

function callOf(chunk: unknown): string {
  const { toolCallId, toolCall } = objectOf(chunk);
  return String(toolCallId ?? objectOf(toolCall)["id"]);
}
