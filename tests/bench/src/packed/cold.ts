import { spawn } from "node:child_process";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { startChild, stopChild } from "../child.ts";
import { median } from "../statistics.ts";
import { toLines } from "../table.ts";
import { withPacked } from "./install.ts";

const minimal = ["@troupe/core", "@troupe/http", "@troupe/providers-openai", "express@5"];

/** The programs: each starts a server, asks it twice, and reports a `Start`. */
const programs = [
  { title: "E: express, a pooled client", file: "express.mjs" },
  { title: "scripted model", file: "scripted.mjs" },
  { title: "OpenAI's wire", file: "openai.mjs" },
  { title: "OpenAI's wire, zod tool, SQLite", file: "zod-sqlite.mjs" },
];

/** Milliseconds from the start of a process to its first answer, those of its second answer, and its memory then. */
type Start = { firstMs: number; secondMs: number; cpuMs: number; residentMb: number };

/**
 * Measures cold starts with packed packages, each in a process of its own on one core, in interleaved rounds, and prints
 * the medians and the size of the smallest install. Two rounds before fill the caches of the disk.
 */
export async function printColdStarts(rounds: number): Promise<void> {
  await withPacked(minimal, async ({ packages, bytes }) => {
    console.log(`The server with OpenAI's wire installs ${packages} packages, ${(bytes / 1e6).toFixed(1)} MB.\n`);
  });
  await withPacked([...minimal, "@troupe/storage-sqlite", "zod@4"], async ({ folder }) => {
    const files = programs.map(({ file }) => join(folder, "src/packed/programs", file));
    console.log(toTable(await takeRounds(files, rounds)));
  });
}

async function takeRounds(files: readonly string[], rounds: number): Promise<Start[][]> {
  const vendor = await startChild("servers/mock-vendor.ts", 1);
  const taken: Start[][] = [];
  try {
    for (let round = -2; round < rounds; round++) {
      const starts: Start[] = [];
      for (const file of files) starts.push(await startOnce(file, vendor.url));
      if (round >= 0) taken.push(starts);
    }
  } finally {
    stopChild(vendor);
  }
  return taken;
}

async function startOnce(program: string, vendorUrl: string): Promise<Start> {
  const startedAt = performance.timeOrigin + performance.now();
  const env = { ...process.env, BENCH_VENDOR_URL: vendorUrl, BENCH_STARTED_AT: String(startedAt) };
  const child = spawn("taskset", ["-c", "0", process.execPath, program], { env, stdio: ["ignore", "pipe", "inherit"] });
  return (await json(child.stdout)) as Start;
}

/** Formats the rounds, each with a start of every program, E the first. */
function toTable(rounds: readonly Start[][]): string {
  const rows = programs.map(({ title }, index) => {
    const medianOf = (read: (own: Start, express: Start) => number) => {
      return median(rounds.flatMap(({ 0: express, [index]: own }) => (own && express ? [read(own, express)] : [])));
    };
    return [
      title,
      medianOf(({ firstMs }) => firstMs).toFixed(0),
      medianOf(({ firstMs }, express) => firstMs - express.firstMs).toFixed(0),
      medianOf(({ cpuMs }) => cpuMs).toFixed(0),
      medianOf(({ secondMs }) => secondMs).toFixed(1),
      medianOf(({ residentMb }) => residentMb).toFixed(0),
    ];
  });
  return toLines([["program", "first answer ms", "more than E", "CPU ms", "second answer ms", "RSS MB"], ...rows]);
}
