import type { ModelChunk } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { ChatToolCalls } from "./streamed-calls.ts";
import type { WireCall } from "./wire-types.ts";

type Piece = { index?: unknown; id?: unknown; name?: unknown; args?: unknown };

const toWire = ({ name, args, ...rest }: Piece): WireCall => ({
  ...rest,
  function: { ...(name !== undefined && { name }), ...(args !== undefined && { arguments: args }) },
});

/** Adds the pieces, and returns a line for each chunk: ids that were made up are `?1`, `?2`. */
function linesOf(pieces: readonly Piece[], calls = new ChatToolCalls()): string[] {
  const chunks: ModelChunk[] = [];
  for (const piece of pieces) calls.add(toWire(piece), chunks);
  calls.end(chunks);
  const made: string[] = [];
  const nameOf = (id: string): string => {
    if (!/^call_.{8,}/.test(id)) return id;
    if (!made.includes(id)) made.push(id);
    return `?${made.indexOf(id) + 1}`;
  };
  return chunks.map((chunk) => {
    if (chunk.type === "tool_call_start") return `start ${nameOf(chunk.toolCall.id)} ${chunk.toolCall.name}`;
    if (chunk.type === "tool_call_delta") return `${nameOf(chunk.toolCallId)} ${chunk.argumentsDelta}`;
    return chunk.type === "tool_call_end" ? `end ${nameOf(chunk.toolCallId)}` : chunk.type;
  });
}

describe("ChatToolCalls", () => {
  it.each<[string, Piece[], string[]]>([
    ["no call", [], []],
    ["a call in one piece", [{ index: 0, id: "a", name: "f", args: "{}" }], ["start a f", "a {}", "end a"]],
    ["a call without arguments", [{ index: 0, id: "a", name: "f" }], ["start a f", "end a"]],
    [
      "a call in pieces",
      [
        { index: 0, id: "a", name: "f", args: "" },
        { index: 0, args: '{"x"' },
        { index: 0, args: ":1}" },
      ],
      ["start a f", 'a {"x"', "a :1}", "end a"],
    ],
    [
      "calls whose pieces are mixed",
      [
        { index: 0, id: "a", name: "f" },
        { index: 1, id: "b", name: "g" },
        { index: 0, args: "1" },
        { index: 1, args: "2" },
        { index: 0, args: "3" },
      ],
      ["start a f", "start b g", "a 1", "b 2", "a 3", "end a", "end b"],
    ],
    [
      "a name that is repeated",
      [
        { index: 0, id: "a", name: "f", args: "1" },
        { index: 0, id: "a", name: "f", args: "2" },
      ],
      ["start a f", "a 1", "a 2", "end a"],
    ],
    [
      "a name that is repeated without an id",
      [
        { index: 0, id: "a", name: "f", args: "1" },
        { index: 0, name: "f", args: "2" },
      ],
      ["start a f", "a 1", "a 2", "end a"],
    ],
    [
      "an id that is repeated without a name",
      [
        { index: 0, id: "a", name: "f" },
        { index: 0, id: "b", args: "2" },
      ],
      ["start a f", "a 2", "end a"],
    ],
    [
      "several calls under one index",
      [
        { index: 0, id: "a", name: "f", args: "1" },
        { index: 0, id: "b", name: "g", args: "2" },
        { index: 0, args: "3" },
      ],
      ["start a f", "a 1", "end a", "start b g", "b 2", "b 3", "end b"],
    ],
    [
      "arguments before the name",
      [
        { index: 0, id: "a", args: "1" },
        { index: 0, args: "2" },
        { index: 0, name: "f", args: "3" },
      ],
      ["start a f", "a 123", "end a"],
    ],
    ["a call that never gets a name", [{ index: 0, id: "a", args: "1" }], []],
    [
      "calls by id alone",
      [
        { id: "a", name: "f", args: "1" },
        { id: "b", name: "g" },
        { id: "a", args: "2" },
      ],
      ["start a f", "a 1", "start b g", "a 2", "end a", "end b"],
    ],
    [
      "calls without index and id",
      [{ name: "f", args: "1" }, { args: "2" }, { name: "g", args: "3" }, { args: "4" }],
      ["start ?1 f", "?1 1", "?1 2", "start ?2 g", "?2 3", "?2 4", "end ?1", "end ?2"],
    ],
    [
      "an id that comes late",
      [
        { index: 0, name: "f" },
        { index: 0, id: "a", args: "1" },
      ],
      ["start ?1 f", "?1 1", "end ?1"],
    ],
    [
      "one id for two calls",
      [
        { index: 0, id: "a", name: "f" },
        { index: 1, id: "a", name: "g", args: "1" },
      ],
      ["start a f", "start ?1 g", "?1 1", "end a", "end ?1"],
    ],
    [
      "an empty id",
      [
        { index: 0, id: "", name: "f" },
        { index: 1, id: "", name: "g" },
      ],
      ["start ?1 f", "start ?2 g", "end ?1", "end ?2"],
    ],
    ["a number as id", [{ index: 0, id: 0, name: "f" }], ["start 0 f", "end 0"]],
    [
      "an index that begins above 0",
      [
        { index: 7, id: "a", name: "f" },
        { index: 7, args: "1" },
      ],
      ["start a f", "a 1", "end a"],
    ],
    [
      "a text as index, which is none",
      [
        { index: "0", id: "a", name: "f" },
        { index: "0", args: "1" },
      ],
      ["start a f", "a 1", "end a"],
    ],
    ["arguments as an object", [{ index: 0, id: "a", name: "f", args: { x: 1 } }], ["start a f", 'a {"x":1}', "end a"]],
    ["null in every field", [{ index: null, id: null, name: null, args: null }], []],
    ["arguments with no call before", [{ args: "1" }], []],
  ])("assembles %s", (_, pieces, lines) => {
    expect(linesOf(pieces)).toEqual(lines);
  });

  it("counts calls with a name, and those without", () => {
    const calls = new ChatToolCalls();
    linesOf(
      [
        { index: 0, id: "a", name: "f" },
        { index: 1, id: "b", args: "1" },
        { index: 2, name: "g" },
      ],
      calls,
    );

    expect([calls.count, calls.skippedCount]).toEqual([2, 1]);
    expect([new ChatToolCalls().count, new ChatToolCalls().skippedCount]).toEqual([0, 0]);
  });

  it("takes a piece without its function as nothing", () => {
    const chunks: ModelChunk[] = [];
    const calls = new ChatToolCalls();
    calls.add({ index: 0, id: "a", function: { name: "f" } }, chunks);
    for (const called of [undefined, null, "f", []]) calls.add({ index: 0, function: called }, chunks);

    expect(chunks).toHaveLength(1);
  });

  it("ends each call once", () => {
    const calls = new ChatToolCalls();
    const first = linesOf([{ index: 0, id: "a", name: "f" }], calls);

    expect([first, linesOf([], calls)]).toEqual([["start a f", "end a"], []]);
  });
});
