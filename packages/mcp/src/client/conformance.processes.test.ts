import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

const runner = createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/dist/index.js");
const client = fileURLToPath(new URL("../../test/conformance-client.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "mcp-conformance-"));

afterAll(() => rmSync(folder, { recursive: true }));

/** The client scenarios that a revision requires, by the list that the runner has frozen. */
function requiredScenarios(revision: string): string[] {
  const file = join(dirname(runner), "..", "requirements", `${revision}.yaml`);
  const [, list = ""] = /^client:\n((?: {2}- .*\n)+)/m.exec(readFileSync(file, "utf8")) ?? [];
  return [...list.matchAll(/^ {2}- (\S+)$/gm)].map(([, name = ""]) => name);
}

type Verdict = { code: number; output: string };

async function runScenario(revision: string, scenario: string): Promise<Verdict> {
  const command = `${process.execPath} --disable-warning=ExperimentalWarning --conditions=@troupe/source ${client}`;
  const args = ["client", "--command", command, "--scenario", scenario, "--spec-version", revision];
  return await new Promise((resolve) => {
    execFile(
      process.execPath,
      [runner, ...args, "--timeout", "120000", "--output-dir", folder],
      { cwd: folder },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : 1, output: `${stdout}\n${stderr}` }),
    );
  });
}

describe("the official conformance runner", () => {
  it("requires as many client scenarios as it did when its lists were frozen", () => {
    expect(requiredScenarios("2025-11-25")).toHaveLength(18);
    expect(requiredScenarios("2026-07-28")).toHaveLength(32);
  });
});

describe.each(["2025-11-25", "2026-07-28"])("an McpToolServer under the conformance runner for %s", (revision) => {
  it.concurrent.each(requiredScenarios(revision))("passes %s", async (scenario) => {
    const { code, output } = await runScenario(revision, scenario);
    const [, passed = "0", failed = "?"] = /Passed: (\d+)\/\d+, (\d+) failed/.exec(output) ?? [];

    expect(failed, output.slice(-4000)).toBe("0");
    expect(Number(passed), output.slice(-4000)).toBeGreaterThan(0);
    expect(code, output.slice(-4000)).toBe(0);
  });
});
