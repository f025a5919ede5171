import { median } from "../statistics.ts";
import { toLines } from "../table.ts";
import { measureFirstToken } from "./measure-first-token.ts";
import { StreamTrial } from "./stream-trial.ts";

/**
 * `pnpm --filter @troupe-internal/bench http`: measures the time to the first piece of a stream beside the baselines, and
 * the time until a thousand cut streams are gone.
 */
const router = "http/router-openai.ts";

const cutRounds = 5;

/** Cuts a thousand streams in each server in turn. The first cut of each server is not counted. */
async function timesOfCuts(files: readonly string[]): Promise<number[][]> {
  const trials: StreamTrial[] = [];
  try {
    for (const file of files) trials.push(await StreamTrial.start(file));
    const rounds: number[][] = [];
    for (let round = 0; round <= cutRounds; round++) {
      const times: number[] = [];
      for (const trial of trials) {
        await trial.open(1000);
        times.push(await trial.cut());
      }
      rounds.push(times);
    }
    return rounds.slice(1);
  } finally {
    for (const trial of trials) trial.stop();
  }
}

const first = await measureFirstToken({
  E: "servers/baseline-express.ts",
  ES: "servers/baseline-express-sdk.ts",
  router,
});
const firstTimes = first.map(({ name, roundsMs }) => [
  name,
  median(roundsMs).toFixed(3),
  Math.min(...roundsMs).toFixed(3),
]);
console.log(`${toLines([["first piece of a stream", "median ms", "best round ms"], ...firstTimes])}\n`);

const cuts = await timesOfCuts(["http/baseline-aborting.ts", router]);
const ratios = cuts.map(([baseline = Number.NaN, ours = Number.NaN]) => ours / baseline);
console.log(
  toLines([
    ["a thousand streams cut", "E, aborting, ms", "router ms", "ratio"],
    ...cuts.map((times, round) => [String(round + 1), ...times.map(String), (ratios[round] ?? Number.NaN).toFixed(2)]),
    ["in the middle", "", "", median(ratios).toFixed(2)],
  ]),
);
