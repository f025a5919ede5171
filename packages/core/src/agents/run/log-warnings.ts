import type { Logger } from "../../base/log/logger.ts";
import type { RunEvents } from "./run-events.ts";

type Warning = RunEvents["run.warning"];

/** An event bus that emits warnings. A third party's runnable may lack an event bus. */
type WarningBus = { on(name: "run.warning", handler: (warning: Warning) => void): () => void };

/**
 * Logs the warnings of runnables at level `warn`, except warnings that their own logger has written. A warning that
 * arrives over several event buses is logged once. Returns a function that stops the logging.
 */
export function logWarnings(runnables: Iterable<object>, logger: Logger): () => void {
  const logged = new WeakSet<Warning>();
  const onWarning = (warning: Warning): void => {
    const { code, message, runId, parentRunId, fields } = warning;
    if (warning.logged === true || logged.has(warning)) return;
    logged.add(warning);
    logger.warn(message, { ...fields, code, runId, parentRunId });
  };
  const buses = new Set([...runnables].flatMap(eventBusOf));
  const unsubscribe = [...buses].map((bus) => bus.on("run.warning", onWarning));
  return () => {
    for (const end of unsubscribe) end();
  };
}

function eventBusOf(runnable: { eventBus?: Partial<WarningBus> }): WarningBus[] {
  const { eventBus } = runnable;
  return typeof eventBus?.on === "function" ? [eventBus as WarningBus] : [];
}
