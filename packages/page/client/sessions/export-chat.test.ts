import { describe, expect, it } from "vitest";
import { storedTurn } from "../chat/test/fake-conversation.ts";
import { toJson, toMarkdown } from "./export-chat.ts";

const turns = [
  storedTurn(1, {
    runnable: "help\ner",
    input: [
      { type: "text", text: "Où?" },
      { type: "file", mimeType: "text/plain", filename: "no\ntes.txt" },
    ],
    messages: [
      {
        role: "assistant",
        content: "",
        toolCalls: [
          { id: "1", name: "look", arguments: { city: "Oslo" } },
          { id: "2", name: "te`ll", arguments: "``" },
        ],
      },
      { role: "tool", content: "9 °C", toolCallId: "1" },
      { role: "tool", content: "", toolCallId: "2" },
      { role: "assistant", content: "**Là.**\n\n1. One" },
    ],
    toolResults: [{ toolCallId: "2", error: "No." }],
    sources: [{ id: "a", title: "Li\nst", url: "https://e.x/a <b>", place: "page 4" }, { id: "b" }],
  }),
  storedTurn(2, { status: "interrupted", input: null }),
];

describe("a chat as a file", () => {
  it("is Markdown with its questions, files, tools, answers and sources", () => {
    expect(toMarkdown("A\n# title", turns)).toBe(`# A # title

## You

Où?

- File: no tes.txt

## help er

- Called \`look\` with \`{"city":"Oslo"}\`

- Called \`\` te\`ll \`\` with \`\`\` \`\` \`\`\`, which failed

**Là.**

1. One

1. Li st, page 4 <https://e.x/a%20%3Cb%3E>
2. b

## You

## a

Answer 2

*Cut off.*
`);
  });

  it("is JSON with its turns as they are stored", () => {
    expect(JSON.parse(toJson("é", "s", turns))).toEqual({ title: "é", sessionId: "s", turns });
    expect(toJson("é", "s", [])).toMatch(/\n\}\n$/);
  });
});
