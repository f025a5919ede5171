import { median } from "./statistics.ts";

/** What one candidate cost in one round. */
export type RoundCost = { name: string; round: number; cpuUsPerUnit: number };

/** One candidate over all rounds. */
export type Cost = {
  name: string;
  cpuUs: number;
  /** The cost against the floor's in the same round: what may be compared between machines. */
  ratio: number;
  ratioRange: Range;
};

/** The lowest and the highest of some values. */
export type Range = [low: number, high: number];

/** The candidates' costs and ratios; `floor` names the one that ratios are taken against. */
export function toCosts(rounds: readonly RoundCost[], floor: string): Cost[] {
  const floorCost = new Map(rounds.filter((one) => one.name === floor).map((one) => [one.round, one.cpuUsPerUnit]));
  return [...Map.groupBy(rounds, (one) => one.name)].map(([name, own]) => {
    const ratios = own.map((one) => one.cpuUsPerUnit / (floorCost.get(one.round) ?? Number.NaN));
    return {
      name,
      cpuUs: median(own.map((one) => one.cpuUsPerUnit)),
      ratio: median(ratios),
      ratioRange: rangeOf(ratios),
    };
  });
}

/** The lowest and the highest of the values. */
export function rangeOf(values: readonly number[]): Range {
  return [Math.min(...values), Math.max(...values)];
}
