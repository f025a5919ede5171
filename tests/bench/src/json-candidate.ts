import { answerRounds } from "./answer-rounds.ts";

/** One unit is some JSON, read and written: once, twice, or once and kept. */
const text = JSON.stringify(Array.from({ length: 100 }, (_, at) => ({ at, word: `word${at}` })));
const kept: unknown[] = [];

const units: Record<string, () => unknown> = {
  plain: () => JSON.stringify(JSON.parse(text)),
  twice: () => [JSON.stringify(JSON.parse(text)), JSON.stringify(JSON.parse(text))],
  leaking: () => kept.push(JSON.parse(text)),
};

const unit = units[process.env["BENCH_CANDIDATE"] ?? ""];
if (unit === undefined) throw new Error("BENCH_CANDIDATE names no unit of this file.");
answerRounds((count) => {
  for (let at = 0; at < count; at++) unit();
});
