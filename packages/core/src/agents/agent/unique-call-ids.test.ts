import { describe, expect, it } from "vitest";
import { CallIds } from "../../sessions/history/call-ids.ts";
import type { ModelChunk } from "../../model/model-chunk.ts";
import type { ModelResponse } from "../../model/model-response.ts";
import { callIdsOf, UniqueCallIds } from "./unique-call-ids.ts";

const call = (id: unknown, name: unknown = "look") => ({ id: id as string, name: name as string, arguments: {} });
const [high, low] = ["\ud83d", "\ude00"];

function idsAfter(...taken: string[]): UniqueCallIds {
  const ids = new CallIds();
  for (const id of taken) ids.take(id);
  return new UniqueCallIds(ids);
}

const start = (id: unknown, name: unknown = "look") =>
  ({ type: "tool_call_start", toolCall: { id, name } }) as ModelChunk;
const delta = (toolCallId: unknown, argumentsDelta: unknown) =>
  ({ type: "tool_call_delta", toolCallId, argumentsDelta }) as ModelChunk;
const endOf = (toolCallId: unknown) => ({ type: "tool_call_end", toolCallId }) as ModelChunk;
const text = (of: unknown) => ({ type: "text", text: of }) as ModelChunk;
const thinking = (of: unknown) => ({ type: "thinking", text: of }) as ModelChunk;

describe("callIdsOf", () => {
  it("has the ids of all calls, of each message", () => {
    const ids = callIdsOf([
      { role: "user", content: "Hi" },
      { role: "assistant", content: null, toolCalls: [call("1"), call("2")] },
      { role: "tool", toolCallId: "9", content: "x" },
      { role: "assistant", content: null, toolCalls: [call("3")] },
    ]);

    expect(["1", "2", "3", "9", "1"].map((id) => ids.take(id))).toEqual(["1_2", "2_2", "3_2", "9", "1_3"]);
  });
});

describe("the ids in a response", () => {
  const response = (given: unknown[], malformed?: string[]) =>
    ({
      text: "Hi",
      finishReason: "stop",
      toolCalls: given.map((id) => call(id)),
      ...(malformed && { malformedArguments: malformed.map((toolCallId) => ({ toolCallId, text: "{" })) }),
    }) as unknown as ModelResponse;

  it("stay as they are where there are none", () => {
    const given = response([]);

    expect(idsAfter("1").inResponse(given)).toBe(given);
  });

  it.each<[taken: string[], given: unknown[], own: string[]]>([
    [[], ["1", "2"], ["1", "2"]],
    [["1"], ["1", "2"], ["1_2", "2"]],
    [["1", "1_2"], ["1"], ["1_3"]],
    [["call_2"], ["", ""], ["call_3", "call_4"]],
    [[], [`x${high}`, "y".repeat(16_385)], ["call_2", "call_3"]],
    [[], ["y".repeat(16_384)], ["y".repeat(16_384)]],
    [[], [7], ["7"]],
  ])("are unique in the conversation, and in order: %j", (taken, given, own) => {
    expect(idsAfter(...taken).inResponse(response(given))).toStrictEqual(response(own));
  });

  it("are those of malformed arguments too", () => {
    const given = response(["1", "2", "3"], ["2", "4"]);
    const copy = structuredClone(given);

    expect(idsAfter("2").inResponse(given)).toStrictEqual(response(["1", "2_2", "3"], ["2_2", "4"]));
    expect(given).toStrictEqual(copy);
  });

  it("are new in each answer of a conversation", () => {
    const taken = new CallIds();
    const own = [1, 2, 3].map(() => new UniqueCallIds(taken).inResponse(response(["1"])).toolCalls[0]?.id);

    expect(own).toEqual(["1", "1_2", "1_3"]);
  });
});

/** The chunks as they come out, with those that are left at the end. */
function through(ids: UniqueCallIds, chunks: readonly ModelChunk[]): ModelChunk[] {
  return [...chunks.map((chunk) => ids.inChunk(chunk)), ...ids.rest()];
}

describe("the ids in chunks", () => {
  it("follow their call from its start to its end", () => {
    const given = [start("1"), start("2"), delta("2", "{"), delta("1", "{"), endOf("2"), endOf("1"), start("1")];

    expect(through(idsAfter("1"), given)).toStrictEqual([
      start("1_2"),
      start("2"),
      delta("2", "{"),
      delta("1_2", "{"),
      endOf("2"),
      endOf("1_2"),
      start("1_2"),
    ]);
  });

  it("are mended like those of a response, and so are names", () => {
    const given = [start(1), delta(1, "{}"), endOf("1"), start(""), start("", 5), start("2", ""), endOf(null)];
    const odd = [{ type: "tool_call_start" } as ModelChunk];

    expect(through(idsAfter(), [...given, ...odd])).toStrictEqual([
      start("1"),
      delta("1", "{}"),
      endOf("1"),
      start("call_2"),
      start("call_3", "5"),
      start("2", "(unnamed)"),
      endOf("call_3"),
      start("call_4", "(unnamed)"),
    ]);
  });

  it("leave all else of a start out, and every other chunk as it is", () => {
    const finish = { type: "finish", finishReason: "stop" } as ModelChunk;
    const more = { type: "tool_call_start", toolCall: { ...call("1"), apiKey: "k" }, extra: 1 } as ModelChunk;

    expect(idsAfter().inChunk(finish)).toBe(finish);
    expect(idsAfter().inChunk(more)).toStrictEqual(start("1"));
  });
});

describe("characters that a stream has split", () => {
  it("leaves chunks of whole characters as they are", () => {
    const ids = idsAfter();
    const given = [text("a😀"), thinking("b"), delta("1", "{")];

    expect(given.every((chunk, index) => (index < 2 ? ids.inChunk(chunk) === chunk : true))).toBe(true);
    expect(ids.rest()).toEqual([]);
  });

  it.each<[what: string, given: ModelChunk[], shown: ModelChunk[]]>([
    ["in a text", [text(`a${high}`), text(`${low}b`), text("c")], [text("a"), text("😀b"), text("c")]],
    ["in thinking", [thinking(high), thinking(low)], [thinking(""), thinking("😀")]],
    [
      "in both at once",
      [text(`a${high}`), thinking(`b${high}`), text(low), thinking(low)],
      [text("a"), thinking("b"), text("😀"), thinking("😀")],
    ],
    ["twice in a row", [text(`a${high}`), text(`${low}${high}`), text(low)], [text("a"), text("😀"), text("😀")]],
    ["at the first of all halves", [text("\ud800"), text("\udc00")], [text(""), text("\u{10000}")]],
    ["at the last of all halves", [text("\udbff"), text("\udfff")], [text(""), text("\u{10ffff}")]],
    ["with a second half alone", [text("a\udc00"), text("b")], [text("a\ufffd"), text("b")]],
    ["with no half", [text(high), text(`${low}\ud7ff`), text("b")], [text(""), text("😀\ud7ff"), text("b")]],
    ["and not gone on with", [text(high), text("a")], [text(""), text("\ufffda")]],
    ["at its beginning", [text(`${low}a`), text("b")], [text("\ufffda"), text("b")]],
    ["at the end of the answer", [text(`a${high}`)], [text("a"), text("\ufffd")]],
    [
      "at the end of text and thinking",
      [thinking(high), text(high)],
      [thinking(""), text(""), text("\ufffd"), thinking("\ufffd")],
    ],
  ])("are joined: %s", (_, given, shown) => {
    expect(through(idsAfter(), given)).toStrictEqual(shown);
  });

  it("are joined in the arguments of each call, where half of one stays", () => {
    const given = [
      start("1"),
      start("2"),
      delta("1", `"${high}`),
      delta("2", `"${high}`),
      delta("1", `${low}"`),
      delta("2", '"'),
      delta("1", high),
    ];

    expect(through(idsAfter("1"), given)).toStrictEqual([
      start("1_2"),
      start("2"),
      delta("1_2", '"'),
      delta("2", '"'),
      delta("1_2", '😀"'),
      delta("2", `${high}"`),
      delta("1_2", ""),
    ]);
  });

  it.each([
    [text(undefined), text("")],
    [text(5), text("")],
    [thinking(null), thinking("")],
    [delta("1", undefined), delta("1", "")],
    [delta("1", null), delta("1", "null")],
    [delta("1", 5), delta("1", "null")],
    [delta("1", {}), delta("1", "null")],
  ])("are not looked for in what is no text: %j", (given, shown) => {
    expect(through(idsAfter(), [given])).toStrictEqual([shown]);
  });
});
