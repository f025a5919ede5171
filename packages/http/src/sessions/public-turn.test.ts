import type { ContentPart, StoredTurn } from "@troupe/core";
import { noUsage } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { toPublicTurn } from "./public-turn.ts";

const image: ContentPart = { type: "image", mimeType: "image/png", data: "QUJD" };
const file: ContentPart = { type: "file", mimeType: "text/x", filename: "a.txt", data: "data:text/x;base64,QUJDRA==" };
const web: ContentPart = { type: "audio", data: "https://example.org/a.mp3" };

/** A turn of a storage that keeps more fields than are known here. */
function turnOf(more: object = {}): StoredTurn {
  const turn = {
    seq: 3,
    runId: "r3",
    runnable: "a",
    status: "completed",
    createdAt: 7,
    input: "Hi.",
    messages: [{ role: "assistant", content: "Hello.", secret: 1 }],
    usage: noUsage,
    owner: { userId: "ada" },
    ...more,
  };
  return turn as unknown as StoredTurn;
}

const shown = {
  seq: 3,
  runId: "r3",
  runnable: "a",
  status: "completed",
  createdAt: 7,
  input: "Hi.",
  messages: [{ role: "assistant", content: "Hello." }],
  usage: noUsage,
};

describe("toPublicTurn", () => {
  it.each<[what: string, more: object, publicFields: object]>([
    ["the known fields alone", {}, {}],
    ["an interrupted turn", { status: "interrupted" }, { status: "interrupted" }],
    ["an empty history", { history: [] }, { history: [] }],
    ["a text part", { input: [{ type: "text", text: "a", secret: 1 }] }, { input: [{ type: "text", text: "a" }] }],
    [
      "a reference in place of data",
      { input: [image] },
      { input: [{ type: "image", mimeType: "image/png", stored: { index: 0, bytes: 3 } }] },
    ],
    [
      "the name of a file, and the number of its bytes",
      { input: [file] },
      { input: [{ type: "file", mimeType: "text/x", filename: "a.txt", stored: { index: 0, bytes: 4 } }] },
    ],
    [
      "a web address as it is, which counts as a part",
      { input: [web, image] },
      {
        input: [web, { type: "image", mimeType: "image/png", stored: { index: 1, bytes: 3 } }],
      },
    ],
    [
      "the name of a file alone",
      { input: [{ ...image, filename: "a.png" }] },
      { input: [{ type: "image", mimeType: "image/png", stored: { index: 0, bytes: 3 } }] },
    ],
    [
      "data that is stored apart",
      { input: [{ type: "audio", stored: { seq: 3, index: 0, bytes: 9, pieces: 1, id: "x" } }] },
      { input: [{ type: "audio", stored: { index: 0, bytes: 9 } }] },
    ],
    [
      "the calls of a message",
      {
        messages: [
          { role: "assistant", content: null, toolCalls: [{ id: "t", name: "n", arguments: { a: 1 }, x: 1 }] },
        ],
      },
      { messages: [{ role: "assistant", content: null, toolCalls: [{ id: "t", name: "n", arguments: { a: 1 } }] }] },
    ],
    [
      "the result of a call",
      { messages: [{ role: "tool", content: "ok", toolCallId: "t", name: "n" }] },
      { messages: [{ role: "tool", content: "ok", toolCallId: "t", name: "n" }] },
    ],
    ["its sources", { sources: [{ id: "s", url: "u", x: 1 }] }, { sources: [{ id: "s", url: "u" }] }],
    ["empty lists", { sources: [], toolResults: [] }, { sources: [], toolResults: [] }],
    [
      "its results of tools",
      {
        toolResults: [
          { toolCallId: "t", toolName: "n", error: "No.", x: 1 },
          { toolCallId: "u", toolName: "n", artifacts: [{ type: "a", data: 1, mimeType: "a/b", x: 1 }], leftOut: 0 },
          { toolCallId: "v", toolName: "n", artifacts: [{ type: "a", data: null }] },
        ],
      },
      {
        toolResults: [
          { toolCallId: "t", toolName: "n", error: "No." },
          { toolCallId: "u", toolName: "n", artifacts: [{ type: "a", data: 1, mimeType: "a/b" }], leftOut: 0 },
          { toolCallId: "v", toolName: "n", artifacts: [{ type: "a", data: null }] },
        ],
      },
    ],
  ])("has %s", (_, more, publicFields) => {
    expect(toPublicTurn(turnOf(more)).turn).toStrictEqual({ ...shown, ...publicFields });
  });

  it("has the failure of a tool, and not what it told the model", () => {
    const tool = (toolCallId: string) => ({ role: "tool", content: "at x", toolCallId });
    const { turn } = toPublicTurn(
      turnOf({
        messages: [tool("t"), { role: "assistant", content: "Hm.", toolCallId: "t" }, tool("u"), tool("w")],
        toolResults: [
          { toolCallId: "u", toolName: "n" },
          { toolCallId: "t", toolName: "n", error: "No." },
          { toolCallId: "w", toolName: "n", error: "" },
        ],
      }),
    );
    expect(turn.messages.map(({ content }) => content)).toEqual(["No.", "Hm.", "at x", ""]);
  });

  it("numbers the parts of history, input and messages in this order, and gives each with its reference", () => {
    const { turn, referred } = toPublicTurn(
      turnOf({
        messages: [{ role: "assistant", content: [image] }],
        input: [file, { type: "text", text: "a" }, web],
        history: [{ role: "user", content: [image, image] }],
      }),
    );

    expect(referred.map(({ reference, part }) => [reference.stored.index, part])).toEqual([
      [0, image],
      [1, image],
      [2, file],
      [4, image],
    ]);
    expect(referred[2]?.reference).toBe((turn.input as unknown[])[0]);
  });

  it("leaves the stored turn as it is", () => {
    const stored = turnOf({ input: [image], toolResults: [{ toolCallId: "t", toolName: "n", error: "No." }] });
    const before = structuredClone(stored);
    toPublicTurn(stored);
    expect(stored).toEqual(before);
  });
});
