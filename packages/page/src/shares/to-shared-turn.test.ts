import type { ChatMessage, StoredTurn } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { toSharedTurn } from "./to-shared-turn.ts";

const call = { id: "c1", name: "look", arguments: { person: "Ann" } };
const source = { id: "s1", title: "A page", url: "https://a.example", passage: "Said there." };

/** A turn in which every field has a value of its own. */
const turn: StoredTurn = {
  seq: 7,
  runnable: "clerk",
  runId: "r7",
  status: "interrupted",
  createdAt: 70,
  input: [
    { type: "text", text: "Look." },
    { type: "image", data: "data-1", mimeType: "image/png" },
    { type: "audio", data: "data-2", mimeType: "audio/wav" },
    { type: "file", data: "data-3", mimeType: "text/plain", filename: "a.txt" },
  ],
  messages: [
    { role: "assistant", content: null, toolCalls: [call] },
    { role: "tool", content: "For the model.", toolCallId: "c1" },
    { role: "tool", content: "Found.", toolCallId: "c2" },
    { role: "assistant", content: "Done." },
  ],
  toolResults: [
    { toolCallId: "c1", error: "For clients." },
    {
      toolCallId: "c2",
      artifacts: [
        { type: "list", data: [1] },
        { type: "chart", data: "x", mimeType: "image/svg+xml" },
      ],
    },
  ],
  sources: [source],
} as unknown as StoredTurn;

/** The fields of the turn that are the same with and without the data of tools. */
const common = {
  seq: 7,
  runnable: "clerk",
  status: "interrupted",
  createdAt: 70,
  input: [
    { type: "text", text: "Look." },
    { type: "image", mimeType: "image/png" },
    { type: "audio", mimeType: "audio/wav" },
    { type: "file", mimeType: "text/plain", filename: "a.txt" },
  ],
  sources: [source],
};
const artifacts = [
  { type: "list", data: [1] },
  { type: "chart", data: "x", mimeType: "image/svg+xml" },
];
const answer = { role: "assistant", content: "Done." };

describe("a shared turn", () => {
  it("has every field in its place, and names tools alone unless their data is shared [page.share]", () => {
    expect(toSharedTurn(turn, { hasTools: false, kind: "team" })).toEqual({
      ...common,
      kind: "team",
      messages: [
        { role: "assistant", content: null, toolCalls: [{ id: "c1", name: "look", arguments: {} }] },
        { role: "tool", content: null, toolCallId: "c1" },
        { role: "tool", content: null, toolCallId: "c2" },
        answer,
      ],
      toolResults: [
        { toolCallId: "c1", error: "" },
        { toolCallId: "c2", artifacts },
      ],
    });
  });

  it("has the error for clients in place of the failed tool's result if its data is shared [page.share]", () => {
    expect(toSharedTurn(turn, { hasTools: true, kind: "agent" })).toEqual({
      ...common,
      kind: "agent",
      messages: [
        { role: "assistant", content: null, toolCalls: [call] },
        { role: "tool", content: "For clients.", toolCallId: "c1" },
        { role: "tool", content: "Found.", toolCallId: "c2" },
        answer,
      ],
      toolResults: [
        { toolCallId: "c1", error: "For clients." },
        { toolCallId: "c2", artifacts },
      ],
    });
  });

  it.each<Partial<Record<keyof StoredTurn, unknown>>>([
    { toolResults: undefined },
    { toolResults: [] },
    { sources: undefined },
    { sources: [] },
    { input: "Text" },
    { input: [] },
    { messages: [] },
  ])("takes a turn with %j as it is", (fields) => {
    const [[name, value] = ["", undefined]] = Object.entries(fields);
    const shown = toSharedTurn({ ...turn, ...fields } as StoredTurn, { hasTools: false, kind: "agent" });

    expect(Object.hasOwn(shown, name)).toBe(value !== undefined);
    expect(shown[name as "input"]).toEqual(value);
  });

  it.each<ChatMessage["content"]>([null, "Text", [], [{ type: "text", text: "Part" }]])(
    "has the result %j of a tool only if its data is shared",
    (content) => {
      const { toolResults: _, ...plain } = turn;
      const messages = [{ role: "tool" as const, content, toolCallId: "c9" }];
      const contentOf = (hasTools: boolean) => {
        const shown = toSharedTurn({ ...plain, messages }, { hasTools, kind: "agent" });
        return shown.messages.map((message) => message.content);
      };

      expect(contentOf(true)).toEqual([content]);
      expect(contentOf(false)).toEqual([null]);
    },
  );
});
