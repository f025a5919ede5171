import { noUsage } from "@troupe/core/provider";
import { onTestFinished } from "vitest";
import { answerUi } from "../src/message/answer-ui.ts";
import type { UiAnswerOptions } from "../src/message/answer-ui.ts";
import type { GivenRun } from "./given-run.ts";
import { replaceSleep } from "@troupe-internal/interleavings";
import type { Sleep } from "@troupe-internal/interleavings";
import { WrittenResponse } from "@troupe-internal/fake-responses";
import { exchangeOf } from "./exchange-of.ts";

type Options = Partial<Omit<UiAnswerOptions, "heartbeatMs">>;

/** A pause before a look at the run, over when the test says so. */
type Pause = { ms: unknown; options: Parameters<Sleep>[1]; end: () => void };

export const own = { runId: "r1", apiKey: "secret-12345678" };
const usage = { ...noUsage, promptTokens: 3, completionTokens: 4, totalTokens: 7 };
export const end = { type: "end", output: { text: "Hi.", usage } };
export const wait = { type: "wait", wait: { id: "t.0.0", kind: "doubt", about: {}, toolCallId: "t1" } };
export const start = { type: "start", messageId: "r1" };

/** Keeps the pauses of this test, and ends none by itself. `look` ends the last one. */
export function keepPauses() {
  const pauses: Pause[] = [];
  const restore = replaceSleep(async (ms, options) => {
    await new Promise<void>((resolve, reject) => {
      options?.signal?.addEventListener("abort", () => reject(new Error("aborted")));
      pauses.push({ ms, options, end: resolve });
    });
  });
  onTestFinished(restore);
  const look = async (): Promise<void> => {
    pauses.at(-1)?.end();
    await settle();
  };
  return { pauses, look };
}

/** Answers with a run as a UI message. `sent`: the data so far. */
export function answer(run: GivenRun, { early = false, ...options }: Options = {}, response = new WrittenResponse()) {
  const made = exchangeOf(response);
  const done = answerUi(made.exchange, run.run, { heartbeatMs: 700, early, ...options });
  done.catch(() => undefined);
  return { ...made, done, response, sent: () => response.events.map(({ data }) => data) };
}

/** Lets all that can go on without a timer go on. */
export const settle = async () => await new Promise((resolve) => setImmediate(resolve));
