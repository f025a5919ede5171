import { describe, expect, it } from "vitest";
import { invariants } from "./check.ts";
import { recordSse } from "./record-sse.ts";
import { recordedRun } from "./test/recorded-run.ts";

const text = (word: string) => `data: ${JSON.stringify({ type: "text", text: word })}\n\n`;
const finish = 'data: {"type":"finish","finishReason":"stop"}\n\n';

async function record(pieces: string[], failure?: Error) {
  async function* bytes() {
    for (const piece of pieces) yield Buffer.from(piece);
    if (failure !== undefined) throw failure;
  }
  const stream = await recordSse("s", bytes());
  return { stream, breaches: [...invariants.I9.breaches({ ...recordedRun(), streams: [stream] })] };
}

describe("a recorded stream", () => {
  it("is sound when it ends with finish, with error or with a broken connection", async () => {
    expect((await record([text("a"), ": ping\n\n", finish])).breaches).toEqual([]);
    expect((await record([text("a"), 'data: {"type":"error","error":{}}\n\n'])).breaches).toEqual([]);
    const { stream, breaches } = await record([text("a"), "data: {"], new Error("reset"));
    expect([stream.end, stream.chunks.length, breaches]).toEqual(["aborted", 1, []]);
  });

  it("is broken when it just stops, or says what is no chunk behind its end", async () => {
    expect((await record([text("a")])).breaches).toEqual(["The stream s was closed without finish or error."]);
    expect((await record([finish, "data: [DONE]\n\n"])).breaches).toEqual([
      "The stream s goes on behind finish with string.",
    ]);
  });
});
