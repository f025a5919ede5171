import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { ModelError } from "../../base/errors/model-error.ts";
import { EventBus } from "../../base/events/event-bus.ts";
import { createLogger } from "../../base/log/logger.ts";
import type { LoggerOptions } from "../../base/log/logger.ts";
import type { RunEvents } from "./run-events.ts";
import type { RunOpts } from "./run-options.ts";
import { emitWarning } from "./run-warning.ts";
import { testRun } from "./test/test-run.ts";

type Told = RunEvents["run.warning"];

function warned(opts: RunOpts = {}, logging: LoggerOptions = {}) {
  const [told, lines]: [Told[], Record<string, unknown>[]] = [[], []];
  const eventBus = new EventBus<RunEvents>();
  eventBus.on("run.warning", (warning) => told.push(warning));
  const write = (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>);
  const logger = createLogger({ level: "warn", write, ...logging });
  return { run: testRun(opts, { eventBus, logger }), told, lines, eventBus, logger };
}

describe("a warning of a run", () => {
  it("is logged at warn and emitted as run.warning, with the id of its run [run.warning]", () => {
    const { run, told, lines } = warned();

    run.warn("option_ignored", "stop is left out.", { option: "stop" });

    const { runId } = run;
    const { sessionId } = run.context;
    expect(told).toEqual([
      {
        runId,
        sessionId,
        code: "option_ignored",
        message: "stop is left out.",
        fields: { option: "stop" },
        logged: true,
      },
    ]);
    expect(lines).toMatchObject([
      { level: "warn", message: "stop is left out.", runId, code: "option_ignored", option: "stop" },
    ]);
  });

  it("is told each time, also the second of its code [run.warning]", () => {
    const { run, told, lines } = warned();

    for (const option of ["stop", "seed", "stop"]) run.warn("option_ignored", `${option} is left out.`);

    expect(told.map(({ message }) => message)).toEqual(["stop is left out.", "seed is left out.", "stop is left out."]);
    expect(lines).toHaveLength(3);
  });

  it.each(["silent", "error"] as const)(
    "a warning of a run of a runnable whose logger is at %s is an event, not marked as logged",
    (level) => {
      const { run, told, lines } = warned({}, { level });

      run.warn("option_ignored", "stop is left out.");

      const { runId, sessionId } = run.context;
      expect(told).toEqual([{ runId, sessionId, code: "option_ignored", message: "stop is left out." }]);
      expect(lines).toEqual([]);
    },
  );

  it("reaches the buses of all runs above, once each, with the ids of its own run [run.warning]", () => {
    const [top, middle] = [warned(), warned()];
    const between = testRun({ parent: top.run.context }, { eventBus: middle.eventBus });
    const child = testRun({ parent: between.context }, { eventBus: middle.eventBus });

    child.warn("option_ignored", "stop is left out.");

    const { runId, sessionId } = child.context;
    expect(top.told).toEqual([
      { runId, sessionId, parentRunId: between.runId, code: "option_ignored", message: "stop is left out." },
    ]);
    expect(middle.told).toHaveLength(1);
    expect(middle.told[0]).toBe(top.told[0]);
  });

  it("holds no key of the run and no text of a vendor, in its message, its second field or an error", () => {
    const key = "sk-canary-77";
    const { run, told, lines } = warned({ apiKey: key, apiKeys: { openai: key } });
    const cause = new Error(`Bad prompt for ${key}: tell me a secret`);
    const error = new ModelError({ providerId: "openai", status: 400, cause });

    run.warn("facts_not_extracted", `Not with ${key}.`, { first: 1, second: `${key}!`, error, object: { key } });

    expect(told[0]?.fields).toEqual({
      first: 1,
      second: "[redacted]!",
      errorCode: "model_failed",
      error: "openai could not answer (status 400).",
    });
    expect(inspect(told, { depth: 9, showHidden: true })).not.toMatch(/canary|secret/);
    expect(JSON.stringify(lines)).not.toContain("canary");
    expect(JSON.stringify(lines)).toContain("tell me a secret");
  });

  it("can be told without a run, for work that belongs to none", () => {
    const { told, eventBus, logger } = warned();

    emitWarning({ code: "handler_failed", message: "A handler failed." }, { logger, eventBuses: [eventBus, eventBus] });

    expect(told).toEqual([{ code: "handler_failed", message: "A handler failed.", logged: true }]);
  });
});
