import { median } from "../statistics.ts";
import { rangeOf } from "../costs.ts";
import type { Range } from "../costs.ts";
import { byDriver, loadedTurns, prefixOf } from "./turn-storage.ts";
import type { TurnStorage } from "./turn-storage.ts";

/** What one turn took behind a past of so many. */
export type TurnCost = {
  past: number;
  ms: number;
  /** Against the same statements by hand, taken in the same round. */
  ratio: number;
  ratioRange: Range;
  /** Against our own turn behind the smallest past, taken in the same round. */
  growth: number;
};

/** What is measured: a turn behind each of these pasts, the smallest first, so many times. */
export type TurnTrial = { pasts: readonly number[]; rounds: number };

/** The pasts by which a cost that grows with a session shows. */
export const allPasts: readonly number[] = [10, 1000, 100_000];

/** Milliseconds of one round by the names of who took them. */
type Round = ReadonlyMap<string, number>;

type NamedTurn = { name: string; past: number; take: () => Promise<number> };

/** Gives each session its past. */
export async function fillPasts(storage: TurnStorage, pasts: readonly number[]): Promise<void> {
  for (const past of pasts) await storage.fill(prefixOf(past), past);
}

/**
 * Times a turn behind each past, by the driver and by hand. All of them are in every round, one after the other and in an
 * order that turns around, so that a machine that is busy is so for all. The first rounds warm up.
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

function dividedBy(values: readonly number[], floors: readonly number[]): number[] {
  return values.map((value, index) => value / (floors[index] ?? Number.NaN));
}

/** Single turns now and then wait for the disk: between what half of the values lie. */
function middleOf(values: readonly number[]): Range {
  const quarter = Math.floor(values.length / 4);
  return rangeOf(values.toSorted((one, other) => one - other).slice(quarter, values.length - quarter));
}
