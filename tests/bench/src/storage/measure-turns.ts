import { median } from "../statistics.ts";
import { rangeOf } from "../costs.ts";
import type { Range } from "../costs.ts";
import { byDriver, loadedTurns, prefixOf } from "./turn-storage.ts";
import type { TurnStorage } from "./turn-storage.ts";

/** Cost of one turn behind a number of past turns. */
export type TurnCost = {
  past: number;
  ms: number;
  /** Ratio to the same statements by hand in the same round. */
  ratio: number;
  ratioRange: Range;
  /** Ratio to our own turn behind the smallest past in the same round. */
  growth: number;
};

/** The pasts to measure, the smallest first, and the number of rounds. */
export type TurnTrial = { pasts: readonly number[]; rounds: number };

/** Numbers of past turns that show a cost which grows with the session. */
export const allPasts: readonly number[] = [10, 1000, 100_000];

/** Milliseconds of one round, by candidate. */
type Round = ReadonlyMap<string, number>;

type NamedTurn = { name: string; past: number; take: () => Promise<number> };

/** Fills each session with its past. */
export async function fillPasts(storage: TurnStorage, pasts: readonly number[]): Promise<void> {
  for (const past of pasts) await storage.fill(prefixOf(past), past);
}

/**
 * Times a turn behind each past, by the driver and by hand. Every round has all of them, in an order that alternates, so that
 * a busy machine is busy for all. The first rounds warm up.
 */
export async function measureTurns(storage: TurnStorage, { pasts, rounds }: TurnTrial): Promise<TurnCost[]> {
  const turns = pasts.flatMap((past) => turnsBehind(storage, past));
  for (let round = 0; round < rounds / 4; round += 1) await takeRound(turns, false);
  const taken: Round[] = [];
  for (let round = 0; round < rounds; round += 1) taken.push(await takeRound(turns, round % 2 === 0));
  const ours = (past: number) => taken.map((round) => round.get(`driver ${past}`) ?? Number.NaN);
  const hand = (past: number) => taken.map((round) => round.get(`hand ${past}`) ?? Number.NaN);
  const least = ours(Math.min(...pasts));
  return pasts.map((past) => {
    const ratios = dividedBy(ours(past), hand(past));
    const growth = median(dividedBy(ours(past), least));
    return { past, ms: median(ours(past)), ratio: median(ratios), ratioRange: middleOf(ratios), growth };
  });
}

function turnsBehind({ driver, byHand }: TurnStorage, past: number): NamedTurn[] {
  const prefix = prefixOf(past);
  return [
    { name: `driver ${past}`, past, take: async () => await byDriver(driver, prefix) },
    { name: `hand ${past}`, past, take: async () => await byHand(prefix) },
  ];
}

async function takeRound(turns: readonly NamedTurn[], isReversed: boolean): Promise<Round> {
  const taken = new Map<string, number>();
  for (const { name, past, take } of isReversed ? turns.toReversed() : turns) {
    const startedAt = performance.now();
    const loaded = await take();
    taken.set(name, performance.now() - startedAt);
    if (loaded < Math.min(past, loadedTurns)) throw new Error(`${name} loaded ${loaded} turns.`);
  }
  return taken;
}

function dividedBy(values: readonly number[], baselines: readonly number[]): number[] {
  return values.map((value, index) => value / (baselines[index] ?? Number.NaN));
}

/** Returns the range of the middle half of the values, since single turns wait for the disk now and then. */
function middleOf(values: readonly number[]): Range {
  const quarter = Math.floor(values.length / 4);
  return rangeOf(values.toSorted((one, other) => one - other).slice(quarter, values.length - quarter));
}
