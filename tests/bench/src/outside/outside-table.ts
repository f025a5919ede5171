import { kinds } from "./measure-outside.ts";
import type { OutsideCosts } from "./measure-outside.ts";

/** Returns the rows of a table: of each product and kind, the processor time of a run, and its ratio to Troupe's. */
export function toOutsideRows(measured: readonly OutsideCosts[]): string[][] {
  const rows = measured.map(({ name, version, costs }) => {
    const cells = kinds.map((kind) => `${costs[kind].cpuUs.toFixed(0)} (${costs[kind].ratio.toFixed(2)})`);
    return [`${name} ${version}`, ...cells];
  });
  return [["CPU in us (ratio)", "whole answer", "with a tool call", "200 pieces"], ...rows];
}

/** Returns a sentence about the products that cost less than Troupe. */
export function cheaperThanTroupe(measured: readonly OutsideCosts[]): string {
  const cheaper = measured.flatMap(({ name, costs }) => {
    const won = kinds.filter((kind) => costs[kind].ratio < 1).map((kind) => titles[kind]);
    return won.length === 0 ? [] : [`${name} costs less in ${won.join(" and ")}`];
  });
  return cheaper.length === 0 ? "None of them cost less in these rounds." : `${cheaper.join("; ")}.`;
}

const titles = { run: "a whole answer", tool: "a tool call", stream: "a stream" } as const;
