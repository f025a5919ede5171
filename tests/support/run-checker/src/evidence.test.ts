import { describe, expect, it } from "vitest";
import { invariants } from "./check.ts";
import { recordSse } from "./evidence.ts";
import { recordedRun } from "./test/recorded-run.ts";

const text = (word: string) => `data: ${JSON.stringify({ type: "text", text: word })}\n\n`;
const finish = 'data: {"type":"finish","finishReason":"stop"}\n\n';

async function record(pieces: string[], failure?: Error) {
  async function* bytes() {
    for (const piece of pieces) yield Buffer.from(piece);
    if (failure !== undefined) throw failure;
  }
  const stream = await recordSse("s", bytes());
  return { stream, violations: [...invariants.I9.violations({ ...recordedRun(), streams: [stream] })] };
}

describe("recordSse", () => {
  it("records a stream without violations when it ends with finish, with error or with a broken connection", async () => {
    expect((await record([text("a"), ": ping\n\n", finish])).violations).toEqual([]);
    expect((await record([text("a"), 'data: {"type":"error","error":{}}\n\n'])).violations).toEqual([]);
    const { stream, violations } = await record([text("a"), "data: {"], new Error("reset"));
    expect([stream.end, stream.chunks.length, violations]).toEqual(["aborted", 1, []]);
  });

  it("records a violation when the stream just stops or sends something after its end", async () => {
    expect((await record([text("a")])).violations).toEqual(["The stream s was closed without finish or error."]);
    expect((await record([finish, "data: [DONE]\n\n"])).violations).toEqual([
      "The stream s continues after finish with string.",
    ]);
  });
});
