import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

type Step = { name: string; cpuMs: number; moreMb: number };

const program = fileURLToPath(new URL("./large-uploads.ts", import.meta.url));

it.each(["memory", "sqlite"])(
  "ten uploads of 45 MB hold no event loop, nor does one of 30 MB as JSON beyond its parsing, with a storage in %s",
  async (storage) => {
    const args = ["--conditions=@troupe/source", program, storage];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args);

    const steps = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Step);
    expect([stderr, steps.length]).toEqual(["", 9]);
    // With SQLite the first upload imports the storage, too, from sources in many files.
    const bounded = storage === "memory" ? steps : steps.slice(1);
    const [asJson = [], others = []] = [true, false].map((isJson) => {
      return bounded.filter(({ name }) => isJson === name.includes("JSON"));
    });
    for (const { name, cpuMs } of others) expect(cpuMs, name).toBeLessThan(150);
    // A body of 30 MB has to be parsed in one piece.
    const parsed = steps.find(({ name }) => name === "JSON.parse alone")?.cpuMs ?? 0;
    for (const { name, cpuMs } of asJson) expect(cpuMs, name).toBeLessThan(Math.max(50, 3 * parsed));
    const pages = steps.filter(({ name }) => name.startsWith("GET turns"));
    for (const { name, moreMb } of pages) expect(moreMb, name).toBeLessThan(200);
  },
  300_000,
);
