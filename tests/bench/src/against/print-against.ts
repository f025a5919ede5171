import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { baseline, figures } from "../figures.ts";
import { measure } from "../measure.ts";
import type { Figure, Target } from "../measure.ts";
import { withBase } from "./base-checkout.ts";
import { isDearer, ratiosOf, toRatioTable } from "./ratios.ts";
import type { Ratios } from "./ratios.ts";

/** The figures to compare, all if none is named, and the size of the comparison. */
export type AgainstOptions = {
  readonly names: readonly string[];
  readonly rounds: number;
  /** A checkout to compare with instead of the base. */
  readonly root?: string | undefined;
  /** True for a look of a few seconds, whose rounds are too short to decide on. */
  readonly isQuick?: boolean | undefined;
};

/** The size of a figure's rounds for a quick look. */
const quick = { warmUpRounds: 6, slices: 2, sliceMs: 25 };

/** The server that is compared: router, agent and a provider over HTTP. */
const serverFile = "http/router-openai.ts";
const change = "change";
const base = "base";

/**
 * Measures this checkout and the base side by side in alternating slices, prints the ratios of their costs within a
 * round, and returns false if the change costs more. All figures are measured if none is named.
 */
export async function printAgainst({ names, rounds, root, isQuick }: AgainstOptions): Promise<boolean> {
  const chosen = names.length === 0 ? Object.keys(figures) : names;
  const compare = async (folder: string): Promise<boolean> => {
    const dearer: string[] = [];
    for (const name of chosen) {
      const figure = { ...figureOf(name), rounds, ...(isQuick === true && quick) };
      const ratios = await compareFigure(name, figure, folder);
      if (isDearer(ratios)) dearer.push(name);
    }
    console.log(dearer.length === 0 ? "No figure is dearer." : `Dearer: ${dearer.join(", ")}.`);
    return dearer.length === 0;
  };
  return root === undefined ? await withBase(compare) : await compare(root);
}

function figureOf(name: string): Figure {
  const figure = Object.hasOwn(figures, name) ? figures[name] : undefined;
  if (figure === undefined) throw new Error(`There is no figure ${name}. Expected ${Object.keys(figures).join(", ")}.`);
  return figure;
}

async function compareFigure(name: string, figure: Figure, root: string): Promise<Ratios> {
  const samples = await measure({ ...figure, targets: targetsOf(figure, root) });
  const ratios = ratiosOf(samples, change, base);
  const beside = [change, base].map((one) => ratiosOf(samples, one, baseline));
  console.log(`${toRatioTable(name, [ratios, ...beside])}\n`);
  return ratios;
}

function targetsOf(figure: Figure, root: string): Target[] {
  const ofBase = pathToFileURL(join(root, "tests/bench/src", serverFile));
  const express = figure.targets.filter((target) => target.name === baseline);
  return [...express, { name: base, file: ofBase }, { name: change, file: serverFile }];
}
