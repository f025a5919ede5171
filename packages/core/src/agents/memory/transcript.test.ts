import { describe, expect, it } from "vitest";
import { toTranscript } from "./transcript.ts";

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
