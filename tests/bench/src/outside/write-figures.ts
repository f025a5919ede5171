import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { measurePeers } from "../durable/peers/print-peers.ts";
import { concurrency, measureOutside } from "./measure-outside.ts";
import { cheaperThanTroupe, toOutsideRows } from "./outside-table.ts";

/** Measures Troupe beside other products, and writes the page with the figures. */
export async function writeFigures(page: string, { rounds, runs }: { rounds: number; runs: number }): Promise<void> {
  const outside = await measureOutside(rounds);
  const durable = await measurePeers({ rounds, runs });
  const facts = [
    `Measured on ${new Date().toISOString().slice(0, 10)}`,
    `with Node ${process.versions.node}`,
    `on ${availableParallelism()} shared cores, in ${rounds} rounds`,
  ];
  const text = [
    "# Figures beside other products",
    "This page is written by `pnpm bench page`, which installs the other products, measures all of them in alternating rounds, and puts down what it saw, also where another product is cheaper. Each figure is a median. Compare the ratios, which are taken within a round: times depend on the machine.",
    `${facts.join(" ")}.`,
    "## A run of an agent",
    `Processor time of the library for one run, ${concurrency} at a time, against one vendor of Chat Completions that answers at once. The same instructions, input and zod tool; no memory and no tracing; as a library, without a server.`,
    toMarkdown(toOutsideRows(outside)),
    cheaperThanTroupe(outside),
    "## A durable run",
    "Three steps, each with a text of 200 characters, on one PostgreSQL without `fsync`. In the ratio of CPU, a value below 1 is cheaper than Troupe. Fewer commits and less WAL are cheaper for the database: look at each column, since one product may lead in one and not in another.",
    toMarkdown(durable),
    "## What the figures leave out",
    "- Processor time of a library is a small part of an agent's time: a model takes seconds.\n- What each product does for its price differs. Troupe checks arguments and output, and counts tokens; Mastra stores a snapshot of a run at each step; LangGraph a checkpoint; the AI SDK and OpenAI Agents store nothing by themselves.\n- The costs of serving, of memory and of cold starts are not compared here. Troupe's own are in the [benches](../tests/bench/README.md).",
  ];
  writeFileSync(page, `${text.join("\n\n")}\n`);
  execFileSync(join(import.meta.dirname, "../../../../node_modules/.bin/oxfmt"), [page]);
}

function toMarkdown([titles = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(titles), line(titles.map(() => "---")), ...rows.map(line)].join("\n");
}
