import fc from "fast-check";
import type { FinishReason } from "../../../model/model-chunk.ts";
import type { StorageFault } from "../../../testing/faulty-storage.ts";

/** A tool call of a model: tool, id, and form of the arguments. */
export type RandomCall = { tool: ToolName | "unknown"; id: string; form: "good" | "cut" | "list" | "unfit" };

/** An answer of a model: complete, truncated, or with an error at its end. */
export type RandomTurn = {
  thinking: boolean;
  pieces: number;
  calls: RandomCall[];
  end: "finish" | "cut" | "error";
  reason: FinishReason;
  tokens: number;
  /** The number of microtasks before each chunk. */
  pause: number;
};

/** An end from outside, and the number of microtasks before it. */
type RandomEnd = { by: "nobody" | "signal" | "cancel" | "leaving" | "start"; after: number };

/** One run: its session, its reader, its end from outside, and the answers of its model. */
export type RandomRun = {
  way: "run" | "stream" | "output";
  session: string;
  isAtOnce: boolean;
  end: RandomEnd;
  turns: RandomTurn[];
};

/** Some runs on one storage with faults. */
export type RandomRuns = {
  runs: RandomRun[];
  fault: { atCall: number; fault: StorageFault } | undefined;
  maxToolRoundtrips: number;
};

/** The behaviour of the tools, by name. */
const toolNames = ["answers", "waits", "throws", "hangs", "ignores"] as const;
type ToolName = (typeof toolNames)[number];

const call: fc.Arbitrary<RandomCall> = fc.record({
  tool: fc.constantFrom(...toolNames, ...(["answers", "answers", "waits", "unknown"] as const)),
  // Few, so that ids collide within an answer and over answers and runs.
  id: fc.constantFrom("1", "2", "3", "call_2"),
  form: fc.constantFrom("good", "good", "good", "good", "cut", "list", "unfit"),
});

const turn: fc.Arbitrary<RandomTurn> = fc.record({
  thinking: fc.boolean(),
  pieces: fc.nat({ max: 3 }),
  calls: fc.oneof(fc.constant<RandomCall[]>([]), fc.array(call, { minLength: 1, maxLength: 3 })),
  end: fc.constantFrom("finish", "finish", "finish", "finish", "finish", "finish", "cut", "error"),
  reason: fc.constantFrom("stop", "length", "content_filter", "other"),
  tokens: fc.constantFrom(1, 10, 1000, Number.NaN, -5),
  pause: fc.nat({ max: 3 }),
});

const end: fc.Arbitrary<RandomEnd> = fc.record({
  by: fc.constantFrom("nobody", "nobody", "nobody", "nobody", "signal", "cancel", "leaving", "start"),
  after: fc.nat({ max: 150 }),
});

const run: fc.Arbitrary<RandomRun> = fc.record({
  way: fc.constantFrom("run", "stream", "output"),
  session: fc.constantFrom("a", "b"),
  isAtOnce: fc.boolean(),
  end,
  turns: fc.array(turn, { minLength: 1, maxLength: 4 }),
});

const fault = fc.record({
  atCall: fc.integer({ min: 1, max: 20 }),
  fault: fc.constantFrom<StorageFault[]>("fail-before", "fail-after", "corrupt", { delayMs: 1 }),
});

/** An arbitrary trial of runs that share their sessions. */
export const randomRuns: fc.Arbitrary<RandomRuns> = fc.record({
  runs: fc.array(run, { minLength: 1, maxLength: 4 }),
  fault: fc.option(fault, { nil: undefined, freq: 3 }),
  maxToolRoundtrips: fc.nat({ max: 3 }),
});
