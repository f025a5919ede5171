import { median } from "../statistics.ts";
import { toLines } from "../table.ts";
import { measureFirstToken } from "./measure-first-token.ts";
import { measureHeld } from "./measure-held.ts";
import { StreamTrial } from "./stream-trial.ts";

/**
 * `pnpm --filter @troupe-internal/bench http`: how long the first piece of a stream takes beside the floors, what an open
 * stream holds more than a connection, and how long a thousand streams that are cut take to be gone.
 */
const router = "http/router-openai.ts";

const cutRounds = 5;

/** A thousand streams are cut in each server in turn; what each of them does for the first time is not counted. */
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

const first = await measureFirstToken({ E: "servers/floor-express.ts", ES: "servers/floor-express-sdk.ts", router });
const firstTimes = first.map(({ name, roundsMs }) => [
  name,
  median(roundsMs).toFixed(3),
  Math.min(...roundsMs).toFixed(3),
]);
console.log(`${toLines([["first piece of a stream", "median ms", "best round ms"], ...firstTimes])}\n`);

const { stream, connection } = await measureHeld(router);
const held = [stream, connection, stream - connection].map((kilobytes) => kilobytes.toFixed(1));
console.log(
  `${toLines([
    ["heap, KB", "open stream", "connection", "more"],
    ["router", ...held],
  ])}\n`,
);

const cuts = await timesOfCuts(["http/floor-aborting.ts", router]);
const ratios = cuts.map(([floor = Number.NaN, ours = Number.NaN]) => ours / floor);
console.log(
  toLines([
    ["a thousand streams cut", "E, aborting, ms", "router ms", "ratio"],
    ...cuts.map((times, round) => [String(round + 1), ...times.map(String), (ratios[round] ?? Number.NaN).toFixed(2)]),
    ["in the middle", "", "", median(ratios).toFixed(2)],
  ]),
);
