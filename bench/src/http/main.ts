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

async function timeOfCut(file: string): Promise<number> {
  const trial = await StreamTrial.start(file);
  try {
    await trial.open(1000);
    return await trial.cut();
  } finally {
    trial.stop();
  }
}

const first = await measureFirstToken({ E: "servers/floor-express.ts", ES: "servers/floor-express-sdk.ts", router });
const times = first.map(({ name, roundsMs }) => [name, median(roundsMs).toFixed(3), Math.min(...roundsMs).toFixed(3)]);
console.log(`${toLines([["first piece of a stream", "median ms", "best round ms"], ...times])}\n`);

const { stream, connection } = await measureHeld(router);
const held = [stream, connection, stream - connection].map((kilobytes) => kilobytes.toFixed(1));
console.log(
  `${toLines([
    ["heap, KB", "open stream", "connection", "more"],
    ["router", ...held],
  ])}\n`,
);

const cuts: string[][] = [];
for (let round = 1; round <= 3; round++) {
  const [floor, ours] = [await timeOfCut("http/floor-aborting.ts"), await timeOfCut(router)];
  cuts.push([String(round), String(floor), String(ours), (ours / floor).toFixed(2)]);
}
console.log(toLines([["a thousand streams cut", "E, aborting, ms", "router ms", "ratio"], ...cuts]));
