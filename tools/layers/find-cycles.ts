import type { Import, ParsedFile } from "./parse-source.ts";
import type { Violation } from "./rule.ts";

type Graph = ReadonlyMap<string, ReadonlyMap<string, Import>>;

/**
 * Finds import cycles, including type imports: one violation for each group of files, reported as its shortest cycle.
 */
export function findCycles(files: readonly ParsedFile[]): Violation[] {
  const graph = importGraph(files);
  const reported = new Set<string>();
  const violations: Violation[] = [];
  for (const file of [...graph.keys()].toSorted()) {
    const cycle = reported.has(file) ? undefined : shortestCycle(file, graph);
    if (cycle === undefined) continue;
    for (const member of cycle) reported.add(member);
    violations.push(toViolation(cycle, graph));
  }
  return violations;
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

/** Searches breadth first from the file's imports back to the file. */
function shortestCycle(start: string, graph: Graph): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const file of queue) {
    for (const next of graph.get(file)?.keys() ?? []) {
      if (next === start) return pathTo(file, start, cameFrom);
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, file);
      queue.push(next);
    }
  }
  return undefined;
}

function pathTo(end: string, start: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const path = [end];
  for (let file = end; file !== start;) {
    file = cameFrom.get(file) ?? start;
    path.unshift(file);
  }
  return path;
}

function toViolation(cycle: readonly string[], graph: Graph): Violation {
  const [file = "", next = file] = cycle;
  const line = graph.get(file)?.get(next)?.line ?? 1;
  const message = `${[...cycle, file].join(" → ")}: types count as imports; move what both need into a file of its own.`;
  return { file, line, rule: "cycle", message };
}
