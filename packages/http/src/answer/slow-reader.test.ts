import type { Runnable, StreamChunk } from "@troupe/core";
import { createId } from "@troupe/core/kit";
import { createService } from "@troupe/core/service";
import type { RequestedRun } from "@troupe/core/transport";
import { expect, it } from "vitest";
import { WrittenResponse } from "@troupe-internal/fake-responses";
import { exchangeOf } from "../../test/exchange-of.ts";
import { answerStream } from "./answer-stream.ts";

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
};

/** A live run of a runnable whose chunks are as long as what a reader may have before it. */
function streamOf(count: number) {
  const state = { pulled: 0 };
  async function* chunks(): AsyncGenerator<StreamChunk> {
    for (; state.pulled < count; state.pulled++) yield { type: "text", text: "x".repeat(16_384) };
    yield { type: "finish", finishReason: "stop" };
  }
  const subject = { name: "a", kind: "remote", run: chunks, stream: chunks } as unknown as Runnable;
  const service = createService({ agents: { a: subject }, heartbeatMs: 60_000 });
  const response = new WrittenResponse();
  const { exchange } = exchangeOf(response);
  const opts = { runId: createId(), sessionId: createId() };
  const requested = { subject, input: "Hi", opts, owner: {} } as unknown as RequestedRun<unknown, unknown>;
  const terms = { kind: "agent", name: "a" } as const;
  return { state, response, service, answered: answerStream({ exchange, service, requested, terms, early: false }) };
}

it("a streamed run waits for a reader that is behind, goes on with it, and ends its answer", async () => {
  const { state, response, service, answered } = streamOf(4);
  response.isFull = true;
  await settle();
  const before = state.pulled;
  expect(before).toBeLessThanOrEqual(2);

  response.drain();
  await settle();
  expect(state.pulled).toBe(4);
  await answered;
  expect(response.events).toHaveLength(5);
  expect([response.ends, response.sentInVain, service.servedRuns.size]).toEqual([1, 0, 0]);
});
