import { describe, expect, it } from "vitest";
import { toConversation, toTranscript } from "./transcript.ts";

describe("toTranscript", () => {
  it("writes each text, tool call and result as a line", () => {
    const lines = toTranscript([
      {
        role: "user",
        content: [
          { type: "text", text: "What is\nthis?" },
          { type: "image", data: "AAAA" },
        ],
      },
      { role: "assistant", content: "Let me see.", toolCalls: [{ id: "1", name: "look", arguments: { at: "it" } }] },
      { role: "tool", toolCallId: "1", content: "a cat" },
      { role: "assistant", content: null },
    ]);

    expect(lines).toEqual([
      "user: What is this? [image]",
      "assistant: Let me see.",
      'assistant called look: {"at":"it"}',
      "tool: a cat",
    ]);
  });

  it("keeps the beginning of a long text, and no half of a character", () => {
    const [line = ""] = toTranscript([{ role: "user", content: "😀".repeat(1_000_000) }]);

    expect(line.length).toBeLessThanOrEqual(1000);
    expect(line.isWellFormed()).toBe(true);
  });
});

describe("a line of a transcript", () => {
  it.each([999, 1000, 1001])(
    "a line of a transcript of %d characters has at most 1000, the last of which shows that some are left out",
    (size) => {
      const text = "x".repeat(size - "user: ".length);
      const [line] = toTranscript([{ role: "user", content: text }]);

      expect(line).toBe(size > 1000 ? `user: ${"x".repeat(993)}…` : `user: ${text}`);
    },
  );

  it("is left out without a text, and joins parts by a space", () => {
    const parts = (...texts: string[]) => texts.map((text) => ({ type: "text" as const, text }));

    expect(toTranscript([])).toEqual([]);
    expect(
      toTranscript([
        { role: "user", content: "" },
        { role: "user", content: " \n " },
        { role: "user", content: [] },
        { role: "user", content: parts("a", "b\n c") },
      ]),
    ).toEqual(["user: a b c"]);
  });

  it("is well-formed, of a call, too", () => {
    const toolCalls = [{ id: "1", name: "look", arguments: { at: "y".repeat(2000) } }];
    const lines = toTranscript([
      { role: "user", content: "a\ud800" },
      { role: "assistant", content: null, toolCalls },
    ]);

    expect(lines[0]).toBe("user: a\ufffd");
    expect(lines[1]).toBe(`assistant called look: {"at":"${"y".repeat(969)}…`);
  });
});

describe("toConversation", () => {
  it("copies messages without those of the system", () => {
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hi" },
      { role: "tool", toolCallId: "1", content: "x" },
    ] as const;
    const copies = toConversation(messages);

    expect(copies).toEqual(messages.slice(1));
    expect(copies[0]).not.toBe(messages[1]);
    expect(toConversation([])).toEqual([]);
  });

  it.each<[unknown]>([
    [undefined],
    ["Hi"],
    [{ role: "user", content: "Hi" }],
    [[{ role: "robot", content: "x" }]],
    [[null]],
  ])("refuses %j", (wrong) => {
    expect(() => toConversation(wrong as [])).toThrow(
      expect.objectContaining({
        code: "invalid_value",
        message: "messages must be an array of ChatMessage objects, each with a role and content.",
      }),
    );
  });
});
