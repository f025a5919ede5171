import { expect, it } from "vitest";
import { EventBus } from "../../base/events/event-bus.ts";
import type { Logger } from "../../base/log/logger.ts";
import { silentLogger } from "../../base/log/logger.ts";
import { logWarnings } from "./log-warnings.ts";
import type { RunEvents } from "./run-events.ts";

function scene() {
  const lines: unknown[] = [];
  const logger: Logger = { ...silentLogger, warn: (message, fields) => void lines.push([message, fields]) };
  const buses = [new EventBus<RunEvents>(), new EventBus<RunEvents>()] as const;
  return { lines, logger, buses };
}

const warning = { runId: "r1", parentRunId: "r0", code: "slow", message: "Slow.", fields: { ms: 5, code: "field" } };

it("logWarnings logs each warning once with its code and run, whatever buses and runnables it comes over", () => {
  const { lines, logger, buses } = scene();
  const [one, other] = buses;
  logWarnings(
    [{ eventBus: one }, { eventBus: other }, { eventBus: one }, {}, { eventBus: {} }, { eventBus: undefined }],
    logger,
  );
  for (const bus of buses) bus.emit("run.warning", warning);
  expect(lines).toEqual([["Slow.", { ms: 5, code: "slow", runId: "r1", parentRunId: "r0" }]]);

  one.emit("run.warning", { ...warning });
  other.emit("run.warning", { code: "late", message: "Late." });
  expect(lines).toHaveLength(3);
  expect(lines[2]).toEqual(["Late.", { code: "late", runId: undefined, parentRunId: undefined }]);
});

it("logWarnings logs no warning that the logger of its runnable has written", () => {
  const { lines, logger, buses } = scene();
  logWarnings([{ eventBus: buses[0] }], logger);
  buses[0].emit("run.warning", { ...warning, logged: true });
  expect(lines).toEqual([]);
  buses[0].emit("run.warning", { ...warning, logged: false });
  expect(lines).toHaveLength(1);
});

it("logWarnings ends on all buses", () => {
  const { lines, logger, buses } = scene();
  const end = logWarnings(
    buses.map((eventBus) => ({ eventBus })),
    logger,
  );
  expect(buses.map((bus) => bus.has("run.warning"))).toEqual([true, true]);
  end();
  expect(buses.map((bus) => bus.has("run.warning"))).toEqual([false, false]);
  for (const bus of buses) bus.emit("run.warning", { ...warning });
  expect(lines).toEqual([]);
});
