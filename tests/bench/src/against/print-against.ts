import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { baseline, figures } from "../figures.ts";
import { measure } from "../measure.ts";
import type { Figure, Target } from "../measure.ts";
import { withBase } from "./base-checkout.ts";
import { isDearer, ratiosOf, toRatioTable } from "./ratios.ts";

/** The size of the comparison: `root` is a checkout to compare with instead of the base. */
export type AgainstOptions = {
  readonly names: readonly string[];
  readonly rounds: number;
  readonly root?: string | undefined;
};

/** The server that is compared: router, agent and a provider over HTTP. */
const serverFile = "http/router-openai.ts";
const change = "change";
const base = "base";

/**
 * Measures this checkout and the base side by side in alternating slices, prints the ratios of their costs within a
 * round, and returns false if the change costs more. All figures are measured if none is named.
 */
export async function printAgainst({ names, rounds, root }: AgainstOptions): Promise<boolean> {
  const chosen = names.length === 0 ? Object.keys(figures) : names;
  const compare = async (folder: string): Promise<boolean> => {
    let isNoDearer = true;
    for (const name of chosen) isNoDearer = (await compareFigure(name, rounds, folder)) && isNoDearer;
    return isNoDearer;
  };
  return root === undefined ? await withBase(compare) : await compare(root);
}

async function compareFigure(name: string, rounds: number, root: string): Promise<boolean> {
  const figure = figures[name];
  if (figure === undefined) throw new Error(`There is no figure ${name}. Expected ${Object.keys(figures).join(", ")}.`);
  const samples = await measure({ ...figure, targets: targetsOf(figure, root), rounds });
  const ratios = ratiosOf(samples, change, base);
  const beside = [change, base].map((one) => ratiosOf(samples, one, baseline));
  console.log(`${toRatioTable(name, [ratios, ...beside])}\n${isDearer(ratios) ? "dearer" : "no dearer"}\n`);
  return !isDearer(ratios);
}

function targetsOf(figure: Figure, root: string): Target[] {
  const ofBase = pathToFileURL(join(root, "tests/bench/src", serverFile));
  const express = figure.targets.filter((target) => target.name === baseline);
  return [...express, { name: base, file: ofBase }, { name: change, file: serverFile }];
}
