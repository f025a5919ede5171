import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { bytesBelow } from "../../../tools/packages/install-tarballs.ts";
import { startChild, stopChild } from "../child.ts";
import { median } from "../statistics.ts";
import { toLines } from "../table.ts";
import { withPacked } from "./install.ts";
import type { PackedProject } from "./install.ts";

const ours = ["@troupe/core", "@troupe/http", "@troupe/providers-openai"];
const minimal: PackedProject = { name: "minimal", ours, libraries: ["express@5"] };
const larger: PackedProject = {
  name: "larger",
  ours: [...ours, "@troupe/storage-sqlite"],
  libraries: ["express@5", "zod@4"],
};

/** The programs: each starts a server, asks it twice, and reports a `Start`. */
const programs = [
  { title: "E: express, a pooled client", file: "express.mjs", project: minimal },
  { title: "scripted model", file: "scripted.mjs", project: minimal },
  { title: "OpenAI's wire", file: "openai.mjs", project: minimal },
  { title: "OpenAI's wire, zod tool, SQLite", file: "zod-sqlite.mjs", project: larger },
];

/** Milliseconds from the start of a process to its first answer, those of its second answer, and its memory then. */
type Start = { firstMs: number; secondMs: number; cpuMs: number; residentMb: number };

/**
 * Measures cold starts with packed packages, each in a process of its own on one core, in interleaved rounds, and prints
 * the medians and the size of the smallest install. Two rounds before fill the caches of the disk.
 */
export async function printColdStarts(rounds: number): Promise<void> {
  const projects = [minimal, larger];
  await withPacked(projects, async (folders) => {
    const vendor = await startChild("servers/mock-vendor.ts", 1);
    const files = programs.map(({ file, project }) => {
      return join(folders[projects.indexOf(project)] ?? "", "src/packed/programs", file);
    });
    const takeRound = async () => {
      const starts: Start[] = [];
      for (const file of files) starts.push(await startOnce(file, vendor.url));
      return starts;
    };
    const taken: Start[][] = [];
    try {
      for (let round = -2; round < rounds; round++) taken.push(await takeRound());
    } finally {
      stopChild(vendor);
    }
    console.log(
      `${toTable(taken.slice(2))}\n\nThe server with OpenAI's wire installs ${await sizeOf(folders[0] ?? "")}.`,
    );
  });
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

async function sizeOf(folder: string): Promise<string> {
  const lock = JSON.parse(await readFile(join(folder, "package-lock.json"), "utf8")) as { packages: object };
  // The project itself is one of them.
  const packages = Object.keys(lock.packages).length - 1;
  const bytes = await bytesBelow(join(folder, "node_modules"));
  return `${packages} packages with ${(bytes / 1e6).toFixed(1)} MB`;
}
