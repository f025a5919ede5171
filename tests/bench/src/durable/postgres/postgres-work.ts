import { answerRounds } from "../../answer-rounds.ts";
import { makeRuns } from "../run-kinds.ts";
import { openPostgresRun } from "./postgres-runs.ts";
import type { PostgresRunKind } from "./postgres-runs.ts";

/** Runs of one kind on a PostgreSQL, as the candidate of a measurement. */
const { BENCH_CANDIDATE, BENCH_URL = "", BENCH_CHUNKS, BENCH_CONCURRENCY } = process.env;
const run = await openPostgresRun(BENCH_CANDIDATE as PostgresRunKind, { url: BENCH_URL, chunks: Number(BENCH_CHUNKS) });

answerRounds((count) => makeRuns(run, count, Number(BENCH_CONCURRENCY)));
