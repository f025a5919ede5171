import { median } from "../statistics.ts";
import { toLines } from "../table.ts";
import { measureDocuments } from "./measure-documents.ts";
import type { DocumentCosts, DocumentTrial } from "./measure-documents.ts";

type Figure = { readonly title: string; readonly digits: number; readonly of: (costs: DocumentCosts) => number };

const figures: readonly Figure[] = [
  { title: "ms for 1,000 documents", digits: 0, of: ({ addMs }) => addMs },
  { title: "ms of a search", digits: 2, of: ({ searchMs }) => searchMs },
  { title: "ms among 1 %", digits: 2, of: ({ partMs }) => partMs },
  { title: "ms of a first search", digits: 1, of: ({ firstMs }) => firstMs },
  { title: "MB of heap", digits: 0, of: ({ stored }) => stored.heapMb },
  { title: "MB of RSS", digits: 0, of: ({ stored }) => stored.rssMb },
  { title: "most MB", digits: 0, of: ({ stored }) => stored.mostMb },
  { title: "words: ms for 1,000", digits: 0, of: ({ indexingMs = Number.NaN }) => indexingMs },
  { title: "ms of a hybrid search", digits: 2, of: ({ bothMs = Number.NaN }) => bothMs },
  { title: "MB of heap with words", digits: 0, of: ({ searched }) => searched.heapMb },
];

/** Measures knowledge bases in memory beside other products, and prints medians and the ratios to ours. */
export async function printDocuments(trial: DocumentTrial): Promise<void> {
  const costs = await measureDocuments(trial);
  const [own = []] = Object.values(costs);
  const titles = ["", ...Object.entries(costs).map(([name, [first]]) => `${name} ${first?.version}`)];
  const rows = figures.map(({ title, digits, of }) => {
    const cells = Object.values(costs).map((rounds) => {
      const value = median(rounds.map(of));
      const ratio = median(rounds.map((each, round) => of(each) / of(own[round] ?? each)));
      if (Number.isNaN(value)) return "";
      return rounds === own ? value.toFixed(digits) : `${value.toFixed(digits)} (${ratio.toFixed(2)})`;
    });
    return [title, ...cells];
  });
  console.log(
    `${trial.count} documents in memory, processor time without that of the embeddings; in brackets the ratio to Troupe\n`,
  );
  console.log(toLines([titles, ...rows]));
}
