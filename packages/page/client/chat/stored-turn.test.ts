import { expect, it } from "vitest";
import type { StoredTurn } from "@troupe-internal/client";
import { fromStoredTurn } from "./stored-turn.ts";

const context = { kindOf: () => "team" as const, urlOf: (seq: number, index: number) => `/parts/${seq}/${index}` };
const stored: StoredTurn = {
  seq: 3,
  runId: "r1",
  runnable: "desk",
  status: "completed",
  createdAt: 0,
  input: [
    { type: "text", text: "What is this?" },
    { type: "file", mimeType: "text/plain", filename: "notes.txt", stored: { index: 0, bytes: 4 } },
    { type: "image", mimeType: "image/png" },
  ],
  messages: [
    { role: "assistant", content: null, toolCalls: [{ id: "c1", name: "look", arguments: { at: 1 } }] },
    { role: "tool", content: "A note.", toolCallId: "c1" },
    { role: "assistant", content: "It is a note." },
  ],
  usage: { promptTokens: 1, completionTokens: 2, totalTokens: 3 },
  toolResults: [{ toolCallId: "c1", artifacts: [{ type: "chart", data: [] }] }],
};

it("a stored turn is shown with its files, its tools with their results, and its answer", () => {
  expect(fromStoredTurn(stored, context)).toEqual({
    key: "r1",
    kind: "team",
    name: "desk",
    question: {
      text: "What is this?",
      files: [
        { name: "notes.txt", type: "text/plain", url: "/parts/3/0" },
        { name: "image", type: "image/png" },
      ],
    },
    status: "completed",
    parts: [
      {
        type: "tool",
        id: "c1",
        name: "look",
        args: '{"at":1}',
        outcome: { result: "A note.", artifacts: [{ type: "chart", data: [] }] },
      },
      { type: "text", text: "It is a note." },
    ],
    sources: [],
    runId: "r1",
    seq: 3,
    usage: stored.usage,
  });
});
