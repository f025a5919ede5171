import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { requiredScenarios, runConformance } from "../../test/conformance-runner.ts";
import { serveHttp } from "../../test/serve-http.ts";

const folder = mkdtempSync(join(tmpdir(), "mcp-conformance-"));

afterAll(() => rmSync(folder, { recursive: true }));

/** The scenarios that ask for no tool, prompt or resource of the runner's own fixture; a server of agents has none of these. */
const scenarios: readonly [revision: string, scenario: string, checksOfTheFixture: string[]][] = [
  ["2025-11-25", "server-initialize", []],
  ["2025-11-25", "ping", []],
  ["2025-11-25", "tools-list", []],
  ["2025-11-25", "server-sse-multiple-streams", []],
  ["2025-11-25", "dns-rebinding-protection", []],
  [
    "2026-07-28",
    "server-stateless",
    [
      "sep-2575-server-rejects-undeclared-capability",
      "sep-2575-missing-capability-http-400",
      "sep-2575-http-server-no-independent-requests-on-stream",
      "sep-2575-server-no-log-without-loglevel",
    ],
  ],
  ["2026-07-28", "tools-list", []],
  ["2026-07-28", "server-sse-multiple-streams", []],
  ["2026-07-28", "dns-rebinding-protection", []],
  [
    "2026-07-28",
    "caching",
    [
      "sep-2549-prompts-list-caching-hints",
      "sep-2549-resources-list-caching-hints",
      "sep-2549-resources-templates-list-caching-hints",
    ],
  ],
  ["2026-07-28", "input-required-result-unsupported-methods", []],
  ["2026-07-28", "http-header-validation", []],
];

describe("a server of createMcpServer under the conformance runner", () => {
  it.each(scenarios)("passes, for %s, %s [mcp-server.http]", async (revision, scenario, ofFixture) => {
    const { url } = await serveHttp({ allowedHosts: ["127.0.0.1", "localhost"] });
    const args = ["server", "--url", url, "--scenario", scenario, "--spec-version", revision];
    const { passed, failed, output } = await runConformance(folder, args);

    expect(failed, output.slice(-4000)).toEqual(ofFixture);
    expect(passed, output.slice(-4000)).toBeGreaterThan(0);
  });

  it("is asked all that the runner requires but what needs its fixture", () => {
    for (const [revision, fixtures] of [["2025-11-25", 25] as const, ["2026-07-28", 31] as const]) {
      const asked = scenarios.flatMap(([of, scenario]) => (of === revision ? [scenario] : []));
      const left = requiredScenarios("server", revision).filter((scenario) => !asked.includes(scenario));
      expect(left).toHaveLength(fixtures);
    }
  });
});
