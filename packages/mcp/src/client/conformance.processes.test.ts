import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { requiredScenarios, runConformance } from "../../test/conformance-runner.ts";
import type { Verdict } from "../../test/conformance-runner.ts";

const client = fileURLToPath(new URL("../../test/conformance-client.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "mcp-conformance-"));

afterAll(() => rmSync(folder, { recursive: true }));

async function runScenario(revision: string, scenario: string): Promise<Verdict> {
  const command = `${process.execPath} --disable-warning=ExperimentalWarning --conditions=@troupe/source ${client}`;
  const args = ["client", "--command", command, "--scenario", scenario, "--spec-version", revision];
  return await runConformance(folder, [...args, "--timeout", "120000"]);
}

describe("the official conformance runner", () => {
  it("requires as many client scenarios as it did when its lists were frozen", () => {
    expect(requiredScenarios("client", "2025-11-25")).toHaveLength(18);
    expect(requiredScenarios("client", "2026-07-28")).toHaveLength(32);
  });
});

describe.each(["2025-11-25", "2026-07-28"])("an McpToolServer under the conformance runner for %s", (revision) => {
  it.concurrent.each(requiredScenarios("client", revision))("passes %s", async (scenario) => {
    const { code, output, passed, failed } = await runScenario(revision, scenario);

    expect(failed, output.slice(-4000)).toEqual([]);
    expect(passed, output.slice(-4000)).toBeGreaterThan(0);
    expect(code, output.slice(-4000)).toBe(0);
  });
});
