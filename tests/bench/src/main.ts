import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { printA2A } from "./a2a/print-a2a.ts";
import { printAgainst } from "./against/print-against.ts";
import { arePeersInstalled } from "./durable/peers/install-peers.ts";
import { printPeers } from "./durable/peers/print-peers.ts";
import { printPostgresRuns } from "./durable/postgres/print-postgres.ts";
import { printDurable } from "./durable/print-durable.ts";
import { printDocuments } from "./documents/print-documents.ts";
import { baseline, figures, workspaceOnly } from "./figures.ts";
import { printFunctions } from "./functions/print-functions.ts";
import { printHops } from "./hops.ts";
import { heldBaseline, heldServer, printHeld } from "./http/measure-held.ts";
import { printEdge } from "./http/print-edge.ts";
import { printKnowledge } from "./knowledge/print-knowledge.ts";
import { measure } from "./measure.ts";
import type { Figure } from "./measure.ts";
import { printNodes } from "./nodes/print-nodes.ts";
import { printColdStarts } from "./packed/cold.ts";
import { printImports } from "./packed/imports.ts";
import { withPacked } from "./packed/install.ts";
import { pair, tolerance, toRepeatTable } from "./repeat.ts";
import { summarise, toRatioTable, toTable } from "./report.ts";
import type { Summary } from "./report.ts";
import { measureOutside } from "./outside/measure-outside.ts";
import { toOutsideRows } from "./outside/outside-table.ts";
import { writeFigures } from "./outside/write-figures.ts";
import { printSocket } from "./socket/print-socket.ts";
import { toLines } from "./table.ts";
import { printTelemetry } from "./telemetry/print-telemetry.ts";
import { printVectors } from "./vectors/print-vectors.ts";

/**
 * `pnpm bench <figure> [--rounds n]` measures one figure and prints it; with `--packed` of the packages as they are published,
 * installed outside the workspace. `pnpm bench repeat <figure>` measures it twice, each time with new processes, and fails when a
 * target's two medians lie further apart than the tolerance. `pnpm bench held [--packed] [--streams 1000]` measures the memory of open streams.
 * `pnpm bench cold` measures the starts of servers, and `pnpm bench imports` the imports of packages. `pnpm bench hops [--root folder]` counts the hops of a run, of another
 * checkout when its folder is given, and `pnpm bench functions [--names] [--root folder]` the functions and deep copies of a
 * request for a run. `pnpm bench vectors [--counts 10000,100000] [--rounds n]` measures vector stores.
 * `pnpm bench durable [--rounds n]` measures durable runs beside plain ones, and beside those of other products if
 * they are installed; `--peers [--runs 200]` installs them in a folder of their own, and measures these alone. `pnpm bench socket [--rounds n]` measures the
 * gateway of sockets beside the same events emitted by hand. `pnpm bench a2a [--rounds n]` measures streams over A2A beside HTTP.
 * `pnpm bench against [figure…] [--rounds n] [--root folder] [--quick]` measures figures beside the commit that
 * `against/base-commit` names, or beside another checkout, and fails if this one costs more; a quick look never fails.
 * `pnpm bench outside [--rounds n]` measures a run of an agent beside other products, which it installs in folders of their own;
 * `pnpm bench page [--rounds n] [--runs 100]` measures these and durable runs, and writes `docs/figures.md`.
 * `pnpm bench telemetry [--rounds n]` measures a service with traces and without them.
 * `pnpm bench knowledge [--url http://127.0.0.1:8000/v1] [--vectors file] [--last]` measures how well pages are found by questions.
 * `pnpm bench documents [--rounds n] [--counts 10000]` measures knowledge bases in memory beside LangChain and LlamaIndex.
 * `pnpm bench durable --postgres [--rounds n] [--runs 200]` measures runs of an agent on PostgreSQL, with BullMQ and without.
 * `pnpm bench edge [--rounds n]` measures the first piece of a stream, and what a run allocates, beside a relay by hand.
 * `pnpm bench nodes [--runs 500] [--rate 50] [--seconds 20]` measures runs that one process performs and another one reads.
 */
const { values, positionals } = parseArgs({
  options: {
    rounds: { type: "string" },
    root: { type: "string" },
    names: { type: "boolean" },
    counts: { type: "string" },
    runs: { type: "string" },
    rate: { type: "string" },
    seconds: { type: "string" },
    packed: { type: "boolean" },
    quick: { type: "boolean" },
    last: { type: "boolean" },
    vectors: { type: "string" },
    url: { type: "string" },
    peers: { type: "boolean" },
    postgres: { type: "boolean" },
    streams: { type: "string" },
  },
  allowPositionals: true,
});
const isRepeat = positionals[0] === "repeat";
const name = positionals[isRepeat ? 1 : 0] ?? "";
const figure = Object.hasOwn(figures, name) ? figures[name] : undefined;

async function print(chosen: Figure): Promise<Summary[]> {
  const samples = await measure({ ...chosen, rounds: Number(values.rounds ?? chosen.rounds) });
  const summaries = summarise(samples, baseline);
  console.log(`${toTable(summaries, chosen.unit === "frames" ? "frame" : "request")}\n`);
  if (chosen.beside !== undefined) console.log(`${toRatioTable(samples, chosen.beside)}\n`);
  return summaries;
}

async function printTwice(chosen: Figure): Promise<boolean> {
  const repeats = pair(await print(chosen), await print(chosen));
  console.log(toRepeatTable(repeats));
  return repeats.every(({ difference }) => difference < tolerance);
}

/** Packages that the measured servers import. */
const serverPackages = ["@troupe/core", "@troupe/http", "@troupe/providers-openai", "express@5"];

/** Measures the same servers in a project that has the packed packages installed. */
async function printPacked(chosen: Figure): Promise<void> {
  await withPacked(serverPackages, async ({ folder }) => {
    const targets = chosen.targets
      .filter((target) => target.name !== workspaceOnly)
      .map((target) => ({ ...target, file: pathToFileURL(join(folder, "src", String(target.file))) }));
    await print({ ...chosen, targets });
  });
}

async function printHeldBy({ packed, streams }: { packed: boolean; streams: number }): Promise<void> {
  const serversIn = (place: (file: string) => string | URL) => ({ E: place(heldBaseline), router: place(heldServer) });
  if (!packed) return await printHeld({ servers: serversIn((file) => file), streams });
  await withPacked(serverPackages, ({ folder }) =>
    printHeld({ servers: serversIn((file) => pathToFileURL(join(folder, "src", file))), streams }),
  );
}

const root = values.root ?? join(import.meta.dirname, "../../..");

if (name === "hops") {
  await printHops(root);
} else if (name === "functions") {
  await printFunctions(root, values.names === true);
} else if (name === "against") {
  const [names, isQuick] = [positionals.slice(1), values.quick === true];
  const isNoDearer = await printAgainst({ names, rounds: Number(values.rounds ?? 20), root: values.root, isQuick });
  if (!isNoDearer && !isQuick) process.exitCode = 1;
} else if (name === "cold") {
  await printColdStarts(Number(values.rounds ?? 20));
} else if (name === "imports") {
  await printImports(Number(values.rounds ?? 20));
} else if (name === "vectors") {
  await printVectors((values.counts ?? "10000,100000").split(",").map(Number), Number(values.rounds ?? 15));
} else if (name === "knowledge") {
  await printKnowledge({ url: values.url, vectors: values.vectors, isLast: values.last === true });
} else if (name === "documents") {
  await printDocuments({ rounds: Number(values.rounds ?? 7), count: Number(values.counts ?? 10_000), searches: 60 });
} else if (name === "durable" && values.postgres === true) {
  await printPostgresRuns({ rounds: Number(values.rounds ?? 7), runs: Number(values.runs ?? 200) });
} else if (name === "edge") {
  await printEdge(Number(values.rounds ?? 12));
} else if (name === "durable") {
  if (values.peers !== true) await printDurable(Number(values.rounds ?? 15));
  const isInstalled = values.peers === true || arePeersInstalled();
  if (isInstalled) await printPeers({ rounds: Number(values.rounds ?? 7), runs: Number(values.runs ?? 200) });
  else console.log("Not measured beside other products: --peers installs them.");
} else if (name === "outside") {
  console.log(`${toLines(toOutsideRows(await measureOutside(Number(values.rounds ?? 7))))}\n`);
} else if (name === "page") {
  const size = { rounds: Number(values.rounds ?? 7), runs: Number(values.runs ?? 100) };
  await writeFigures(join(root, "docs/figures.md"), size);
} else if (name === "socket") {
  await printSocket(Number(values.rounds ?? 15));
} else if (name === "a2a") {
  await printA2A(Number(values.rounds ?? 15));
} else if (name === "telemetry") {
  await printTelemetry(Number(values.rounds ?? 60));
} else if (name === "nodes") {
  const { runs = 500, rate = 50, seconds = 20 } = values;
  if (!(await printNodes({ runs: Number(runs), rate: Number(rate), seconds: Number(seconds) }))) process.exitCode = 1;
} else if (name === "held") {
  await printHeldBy({ packed: values.packed === true, streams: Number(values.streams ?? 1000) });
} else if (figure === undefined) {
  console.error(
    `usage: pnpm bench [repeat] <figure> [--rounds n] [--packed]; figures: ${Object.keys(figures).join(", ")}, a2a, against, cold, documents, durable, edge, functions, held, hops, imports, knowledge, nodes, outside, page, socket, telemetry, vectors`,
  );
  process.exitCode = 1;
} else if (values.packed === true) {
  await printPacked(figure);
} else if (!isRepeat) {
  await print(figure);
} else if (!(await printTwice(figure))) {
  process.exitCode = 1;
}
