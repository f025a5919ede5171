import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { extendForConformance } from "../../test/conformance-server.ts";
import { extendWithTasks, taskRunnables } from "../../test/conformance-tasks.ts";
import { requiredScenarios, runConformance, runRequirements } from "../../test/conformance-runner.ts";
import type { ScenarioCount } from "../../test/conformance-runner.ts";
import { serveHttp } from "../../test/serve-http.ts";

const folder = mkdtempSync(join(tmpdir(), "mcp-conformance-"));

afterAll(() => rmSync(folder, { recursive: true }));

/**
 * Scenarios that the runner runs without requiring them, and that have failures or no check: in that of polling the runner's own
 * server fails too, and that of messages about tasks is still to be written.
 */
const unscored: Readonly<Record<string, readonly string[]>> = {
  "2025-11-25": ["server-sse-polling"],
  "2026-07-28": ["tasks-status-notifications"],
};

/** Scenarios of the extension for tasks, which no revision requires. */
const ofTasks = [
  "tasks-lifecycle",
  "tasks-capability-negotiation",
  "tasks-wire-fields",
  "tasks-request-state-removal",
  "tasks-mrtr-input",
  "tasks-request-headers",
  "tasks-dispatch-and-envelope",
  "tasks-required-task-error",
  "tasks-mrtr-composition",
];

describe("a server of createMcpServer with extend, under the conformance runner", () => {
  it.each([
    ["2025-11-25", 30],
    ["2026-07-28", 37],
  ] as const)(
    "passes all that %s requires of a server: %i scenarios [mcp-server.http] [mcp-server.extend] [mcp-server.task-revisions]",
    async (revision, count) => {
      const required = requiredScenarios("server", revision);
      expect(required).toHaveLength(count);
      if (revision === "2026-07-28") required.push(...ofTasks);

      const served = await serveHttp({
        ...taskRunnables,
        allowedHosts: ["127.0.0.1", "localhost"],
        extend: async (server, context) => {
          await extendForConformance(() => served.server.notify)(server, context);
          await extendWithTasks(server, context);
        },
      });
      const { code, output, scenarios } = await runRequirements(folder, ["server", "--url", served.url], revision);

      const isGood = ({ passed, failed }: ScenarioCount) => passed > 0 && failed === 0;
      const good = [...scenarios].filter(([, counted]) => isGood(counted)).map(([name]) => name);
      expect(good, output.slice(-8000)).toEqual(expect.arrayContaining(required));
      expect([...scenarios.keys()].filter((name) => !good.includes(name))).toEqual(unscored[revision]);
      expect(code).toBe(0);
      const faults = served.lines.filter((line) => line.includes('"level":"error"'));
      expect(
        faults.filter((line) => !line.includes("by a mistake of its program")),
        "the service's own log",
      ).toEqual([]);
    },
  );
});

describe("a server of agents alone, under the conformance runner", () => {
  it.each([
    ["2025-11-25", "server-initialize"],
    ["2025-11-25", "ping"],
    ["2025-11-25", "tools-list"],
    ["2025-11-25", "server-sse-multiple-streams"],
    ["2025-11-25", "dns-rebinding-protection"],
    ["2026-07-28", "tools-list"],
    ["2026-07-28", "server-sse-multiple-streams"],
    ["2026-07-28", "dns-rebinding-protection"],
    ["2026-07-28", "input-required-result-unsupported-methods"],
    ["2026-07-28", "http-header-validation"],
  ])("passes, for %s, %s [mcp-server.http]", async (revision, scenario) => {
    const { url } = await serveHttp({ allowedHosts: ["127.0.0.1", "localhost"] });
    const args = ["server", "--url", url, "--scenario", scenario, "--spec-version", revision];
    const { passed, failed, output } = await runConformance(folder, args);

    expect(failed, output.slice(-4000)).toEqual([]);
    expect(passed, output.slice(-4000)).toBeGreaterThan(0);
  });
});
