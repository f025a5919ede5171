import { expect, it } from "vitest";
import { EventBus } from "../../base/events/event-bus.ts";
import { silentLogger } from "../../base/log/logger.ts";
import type { Logger } from "../../base/log/logger.ts";
import { createRunEventBus, RunEventBus } from "./run-event-bus.ts";

const start = { runId: "r", sessionId: "s", agentName: "a", input: "Hi" };
const failing = () => {
  throw new Error("secret of the handler");
};

function noting(): { logger: Logger; logged: unknown[] } {
  const logged: unknown[] = [];
  return { logged, logger: { ...silentLogger, warn: (message, fields) => void logged.push([message, fields]) } };
}

it("RunEventBus warns of a handler that fails, in the log with the error and on the bus with its public message alone", () => {
  const { logger, logged } = noting();
  const bus = createRunEventBus(logger);
  const warnings: unknown[] = [];
  bus.on("run.warning", (warning) => void warnings.push(warning));
  bus.on("run.start", failing);
  bus.emit("run.start", start);

  const message = "A handler of the event run.start failed.";
  const error = new Error("secret of the handler");
  expect(logged).toEqual([[message, { event: "run.start", error, code: "handler_failed" }]]);
  expect(warnings).toEqual([
    {
      code: "handler_failed",
      message,
      fields: { event: "run.start", errorCode: "internal", error: "Something went wrong in this service." },
    },
  ]);
});

it("RunEventBus logs a handler of warnings that fails, and calls it no second time", () => {
  const { logger, logged } = noting();
  const bus = createRunEventBus(logger);
  let calls = 0;
  bus.on("run.warning", () => {
    calls += 1;
    failing();
  });
  bus.emit("run.warning", { code: "slow", message: "Slow." });

  expect(calls).toBe(1);
  const error = new Error("secret of the handler");
  const fields = { event: "run.warning", error, code: "handler_failed" };
  expect(logged).toEqual([["A handler of the event run.warning failed.", fields]]);
});

it("RunEventBus is an event bus that fails nothing without a logger", () => {
  const bus = createRunEventBus();
  bus.on("run.start", failing);
  bus.emit("run.start", start);

  expect(bus).toBeInstanceOf(RunEventBus);
  expect(bus).toBeInstanceOf(EventBus);
});
