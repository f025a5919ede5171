import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { OtlpReceiver } from "../test/otlp-receiver.ts";

const program = join(import.meta.dirname, "../test/counted-runs.ts");

/** Returns how often the runs of the program entered each function of telemetry. */
async function countRuns(collector: string): Promise<Record<string, number>> {
  const given = ["--conditions=@troupe/source", program, collector];
  const { stdout } = await promisify(execFile)(process.execPath, given, { timeout: 100_000 });
  return JSON.parse(stdout) as Record<string, number>;
}

describe("runs without telemetry", () => {
  it("enter none of its functions: the only cost is the check for it", async () => {
    expect(await countRuns("off")).toEqual({});
  });
});

describe("runs with a collector that is dead", () => {
  it("enter the same functions of telemetry, as often as those whose collector answers", async () => {
    const receiver = await OtlpReceiver.start();
    const alive = await countRuns(receiver.url);
    await receiver.close();
    const dead = await countRuns("http://127.0.0.1:9/v1/traces");

    expect(Object.keys(alive).length).toBeGreaterThan(30);
    expect(dead).toEqual(alive);
  });
});
