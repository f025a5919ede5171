import { answerRounds } from "../answer-rounds.ts";
import { makeRuns, openRuns } from "./run-kinds.ts";
import type { RunKindName } from "./run-kinds.ts";

/** Runs of one kind, as the candidate of a measurement. */
const { BENCH_CANDIDATE, BENCH_FOLDER = "", BENCH_CHUNKS, BENCH_EVERY_MS, BENCH_CONCURRENCY } = process.env;
const runs = await openRuns(BENCH_FOLDER, { chunks: Number(BENCH_CHUNKS), everyMs: Number(BENCH_EVERY_MS) });
const run = runs[BENCH_CANDIDATE as RunKindName];

answerRounds((count) => makeRuns(() => run(() => {}), count, Number(BENCH_CONCURRENCY)));
