import { EventBus } from "../../../base/events/event-bus.ts";
import { createLogger } from "../../../base/log/logger.ts";
import { resolveRunOpts } from "../resolve-run-opts.ts";
import type { RunEvents } from "../run-events.ts";
import type { AttemptRunOpts } from "../run-options.ts";
import { Run } from "../run.ts";
import type { RunInit } from "../run-facts.ts";

/** A run that no execution drives, for tests of what works within a run or is started by one. */
export function testRun(opts: AttemptRunOpts = {}, more: Partial<RunInit> = {}): Run {
  const settings = resolveRunOpts(opts);
  const [eventBus, logger] = [new EventBus<RunEvents>(), createLogger()];
  return new Run({ name: "agent", input: "Hi", settings, eventBus, logger, ...more });
}
