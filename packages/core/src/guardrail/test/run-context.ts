import { createLogger } from "../../log/logger.ts";
import { createRunContext } from "../../run/run-context.ts";
import type { RunContext } from "../../run/run-context.ts";
import { UsageMeter } from "../../run/usage-meter.ts";

/** The context of a run, the controller that aborts it, and the lines it logged. */
export function runContext(): { context: RunContext; controller: AbortController; lines: string[] } {
  const [controller, lines] = [new AbortController(), [] as string[]];
  const logger = createLogger({ level: "debug", write: (line) => lines.push(line) });
  const facts = { runId: "run", agentName: "agent", sessionId: "session", metadata: {} };
  const context = createRunContext(
    { ...facts, signal: controller.signal, logger },
    { apiKeys: {}, meter: new UsageMeter() },
  );
  return { context, controller, lines };
}
