import { expect, it } from "vitest";
import type { ErrorCode } from "../../base/errors/troupe-error.ts";
import { createLogger } from "../../base/log/logger.ts";
import type { Logger } from "../../base/log/logger.ts";
import { logRunEnd } from "./log-run-end.ts";
import type { CompleteRunOutput } from "./run-output.ts";
import { testRun } from "./test/test-run.ts";

const usage = { promptTokens: 20, completionTokens: 22, totalTokens: 42 };
const base = { text: "secret", runId: "r", sessionId: "s", durationMs: 7, toolCalls: [], usage };
const output = (status: CompleteRunOutput["status"]) => ({ ...base, status }) as CompleteRunOutput;

/** A logger that writes this level and above, with its lines as parsed JSON without the time. */
function noting(level: "info" | "warn"): { logger: Logger; lines: () => object[] } {
  const lines: string[] = [];
  const logger = createLogger({ level, write: (line) => lines.push(line) });
  const parsed = () => lines.map((line) => ({ ...(JSON.parse(line) as object), time: 0 }));
  return { logger, lines: parsed };
}

it.each<[message: string, status: CompleteRunOutput["status"], code: ErrorCode | undefined]>([
  ["The run completed.", "completed", undefined],
  ["The run was cancelled.", "error", "cancelled"],
  ["The run failed.", "error", "timeout"],
])("logs %j at level info with status %j and code %j, and no content", (message, status, code) => {
  const { logger, lines } = noting("info");
  const run = testRun({}, { name: "clerk", input: "secret", logger });
  logRunEnd(run, output(status), code);

  const { runId } = run.context;
  expect(lines()).toEqual([
    {
      time: 0,
      level: "info",
      message,
      runId,
      name: "clerk",
      status,
      ...(code !== undefined && { code }),
      durationMs: 7,
      tokens: 42,
    },
  ]);
});

it("logRunEnd names the parent run of a child run", () => {
  const { logger, lines } = noting("info");
  const parent = testRun({}, { logger });
  logRunEnd(testRun({ parent: parent.context }, { logger }), output("completed"));

  expect(lines()).toEqual([expect.objectContaining({ name: "agent", parentRunId: parent.context.runId })]);
});

it("logRunEnd logs nothing where the logger does not write the level info", () => {
  const { logger, lines } = noting("warn");
  logRunEnd(testRun({}, { logger }), output("completed"));

  expect(lines()).toEqual([]);
});
