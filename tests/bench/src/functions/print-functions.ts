import { toLines } from "../table.ts";
import { countRequest } from "./count-functions.ts";
import type { RequestCount } from "./count-functions.ts";
import type { EnteredFunction } from "./entered-functions.ts";

/**
 * Prints the functions that one request for a run enters in the checkout at `root`, by the folder of their source, and
 * its deep copies of JSON: for a plain run and for a durable run.
 *
 * @param isNamed true to print the name of each function
 */
export async function printFunctions(root: string, isNamed: boolean): Promise<void> {
  const plain = await countRequest(root, "plain");
  const durable = await countRequest(root, "durable");
  if (isNamed) console.log(`${toLines(namesOf(plain, durable))}\n`);
  console.log(`${toLines(toRows("functions", plain, durable, byFolder))}\n`);
  console.log(toLines(toRows("deep copies", plain, durable, ({ copies }) => copies)));
}

/** Returns the rows of a table of counts, with a sum at the end. */
function toRows(
  title: string,
  ...[plain, durable, countsOf]: [RequestCount, RequestCount, (count: RequestCount) => Readonly<Record<string, number>>]
): string[][] {
  const columns = [countsOf(plain), countsOf(durable)];
  const names = [...new Set(columns.flatMap(Object.keys))].toSorted();
  const rows = names.map((name) => [name, ...columns.map((counts) => String(counts[name] ?? 0))]);
  const sums = columns.map((counts) => String(Object.values(counts).reduce((sum, each) => sum + each, 0)));
  return [[title, "plain", "durable"], ...rows, ["all", ...sums]];
}

function byFolder({ functions }: RequestCount): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { file } of functions) counts[folderOf(file)] = (counts[folderOf(file)] ?? 0) + 1;
  return counts;
}

/** Returns the package and folder of a file, such as `core/agents/run`. */
function folderOf(file: string): string {
  return file
    .replace(/^packages\//, "")
    .replace("/src/", "/")
    .replace(/\/[^/]+$/, "");
}

/** Returns a row for each function: its file and name, and the calls in both runs. */
function namesOf(plain: RequestCount, durable: RequestCount): string[][] {
  const labelOf = ({ file, name }: EnteredFunction) => `${folderOf(file)}/${file.replace(/^.*\//, "")} ${name}`;
  const columns = [plain, durable].map(
    ({ functions }) => new Map(functions.map((each) => [labelOf(each), each.calls])),
  );
  const labels = [...new Set(columns.flatMap((column) => [...column.keys()]))].toSorted();
  return labels.map((label) => [label, ...columns.map((calls) => String(calls.get(label) ?? ""))]);
}
