import type { Breach } from "./breach.ts";
import type { Import, ParsedFile } from "./parse-source.ts";

type Graph = ReadonlyMap<string, ReadonlyMap<string, Import>>;

/** Finds files that need each other, types counted: one breach for each knot, told as the shortest way around it. */
export function findCycles(files: readonly ParsedFile[]): Breach[] {
  const graph = importGraph(files);
  const told = new Set<string>();
  const breaches: Breach[] = [];
  for (const file of [...graph.keys()].toSorted()) {
    const cycle = told.has(file) ? undefined : shortestCycle(file, graph);
    if (cycle === undefined) continue;
    for (const member of cycle) told.add(member);
    breaches.push(toBreach(cycle, graph));
  }
  return breaches;
}

function importGraph(files: readonly ParsedFile[]): Graph {
  const known = new Set(files.map(({ path }) => path));
  const edges = ({ imports }: ParsedFile): Map<string, Import> =>
    new Map(
      imports.flatMap((each) => {
        const { target } = each;
        return target.kind === "file" && known.has(target.path) ? [[target.path, each]] : [];
      }),
    );
  return new Map(files.map((file) => [file.path, edges(file)]));
}

/** Breadth first from the file's imports back to the file. */
function shortestCycle(start: string, graph: Graph): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const file of queue) {
    for (const next of graph.get(file)?.keys() ?? []) {
      if (next === start) return wayTo(file, start, cameFrom);
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, file);
      queue.push(next);
    }
  }
  return undefined;
}

function wayTo(end: string, start: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const way = [end];
  for (let file = end; file !== start;) {
    file = cameFrom.get(file) ?? start;
    way.unshift(file);
  }
  return way;
}

function toBreach(cycle: readonly string[], graph: Graph): Breach {
  const [file = "", next = file] = cycle;
  const line = graph.get(file)?.get(next)?.line ?? 1;
  const message = `${[...cycle, file].join(" → ")}: types count as imports; move what both need into a file of its own.`;
  return { file, line, rule: "cycle", message };
}
