import { median } from "./statistics.ts";

/** Cost of one candidate in one round. */
export type RoundCost = { name: string; round: number; cpuUsPerUnit: number };

/** One candidate over all rounds. */
export type Cost = {
  name: string;
  cpuUs: number;
  /** Ratio to the baseline's cost in the same round: the figure that may be compared between machines. */
  ratio: number;
  ratioRange: Range;
};

/** The lowest and the highest of some values. */
export type Range = [low: number, high: number];

/** Computes the candidates' costs and their ratios to the candidate named `baseline`. */
export function toCosts(rounds: readonly RoundCost[], baseline: string): Cost[] {
  const baselineCost = new Map(
    rounds.filter((one) => one.name === baseline).map((one) => [one.round, one.cpuUsPerUnit]),
  );
  return [...Map.groupBy(rounds, (one) => one.name)].map(([name, own]) => {
    const ratios = own.map((one) => one.cpuUsPerUnit / (baselineCost.get(one.round) ?? Number.NaN));
    return {
      name,
      cpuUs: median(own.map((one) => one.cpuUsPerUnit)),
      ratio: median(ratios),
      ratioRange: rangeOf(ratios),
    };
  });
}

/** Returns the lowest and the highest of the values. */
export function rangeOf(values: readonly number[]): Range {
  return [Math.min(...values), Math.max(...values)];
}

/** Cost of one unit of the calibration, in calibrated microseconds. */
const calibrationUs = 100;

/** Converts a cost to calibrated microseconds, by the cost of the calibration in the same round. */
export function calibrate(costUs: number, calibrationCostUs: number): number {
  return (costUs / calibrationCostUs) * calibrationUs;
}
