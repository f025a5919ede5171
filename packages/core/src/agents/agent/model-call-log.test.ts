import { describe, expect, it, onTestFinished, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { createLogger } from "../../base/log/logger.ts";
import type { LoggerOptions } from "../../base/log/logger.ts";
import type { ModelResponse } from "../../model/model-response.ts";
import { testRun } from "../run/test/test-run.ts";
import { ModelCallLog } from "./model-call-log.ts";

const response: ModelResponse = {
  text: "The secret.",
  toolCalls: [],
  finishReason: "stop",
  usage: { promptTokens: 3, completionTokens: 4, totalTokens: 7 },
};

/** Begins a model call at the time 1000, of a run with a logger of this level. */
function begin(level: LoggerOptions["level"] = "debug") {
  vi.useFakeTimers({ now: 1000 });
  onTestFinished(() => void vi.useRealTimers());
  const lines: string[] = [];
  const logger = createLogger({ level, color: false, write: (line) => void lines.push(line) });
  const run = testRun({}, { logger });
  const log = new ModelCallLog(run, { providerId: "acme", modelId: "acme-1" });
  vi.advanceTimersByTime(250);
  const entries = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return { log, run, runId: run.runId, entries };
}

const entry = {
  level: "debug",
  message: "The model call ended.",
  providerId: "acme",
  modelId: "acme-1",
  durationMs: 250,
  time: expect.any(String) as unknown,
};

describe("the log of a model call", () => {
  it("has one line for an answer, without its text", () => {
    const { log, runId, entries } = begin();
    log.complete(response);
    expect(entries()).toEqual([{ ...entry, runId, finishReason: "stop", tokens: 7 }]);
  });

  it("names the model that answered in the place of the one that was called", () => {
    const { log, runId, entries } = begin();
    log.complete({ ...response, finishReason: "length", answeredBy: { providerId: "other", modelId: "other-2" } });
    expect(entries()).toEqual([
      { ...entry, runId, finishReason: "length", tokens: 7, providerId: "other", modelId: "other-2" },
    ]);
  });

  it("has the code of a failure alone, whose error names the model", () => {
    const { log, runId, entries } = begin();
    const cause = new Error("The secret.");
    const error = log.fail(cause);
    expect(error).toMatchObject({ code: "internal", message: "The model acme/acme-1 failed: The secret.", cause });
    expect(entries()).toEqual([{ ...entry, runId, code: "internal" }]);
  });

  it("has the code of the run's end where the run was cancelled", () => {
    const { log, run, runId, entries } = begin();
    run.abort(new TroupeError("cancelled", "Stopped."));
    expect(log.fail(new Error("aborted"))).toMatchObject({ code: "cancelled" });
    expect(entries()).toEqual([{ ...entry, runId, code: "cancelled" }]);
  });

  it.each(["info", "warn", "error", "silent"] as const)(
    "writes nothing at level %s, and returns the error all the same",
    (level) => {
      const { log, entries } = begin(level);
      log.complete(response);
      expect(log.fail(new Error("x"))).toMatchObject({ code: "internal" });
      expect(entries()).toEqual([]);
    },
  );
});
