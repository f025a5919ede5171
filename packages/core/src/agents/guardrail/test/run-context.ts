import { createLogger } from "../../../base/log/logger.ts";
import type { RunContext } from "../../run/run-context.ts";
import { deriveContext } from "../../run/derive-context.ts";
import { testRun } from "../../run/test/test-run.ts";

/** The context of a run, the controller that aborts it, and the lines it logged. */
export function runContext(): { context: RunContext; controller: AbortController; lines: string[] } {
  const [controller, lines] = [new AbortController(), [] as string[]];
  const logger = createLogger({ level: "debug", write: (line) => lines.push(line) });
  const context = deriveContext(testRun().context, { signal: controller.signal, logger });
  return { context, controller, lines };
}
