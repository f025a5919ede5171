import { EventBus } from "../../base/events/event-bus.ts";
import { silentLogger } from "../../base/log/logger.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { RunEvents } from "./run-events.ts";
import { emitWarning } from "./run-warning.ts";

/**
 * Events by name and their handlers: events of runs, or other events with a type argument. This is the `EventBus` of
 * the main entry point.
 */
export class RunEventBus<Events extends object = RunEvents> extends EventBus<Events> {}

/** Makes the event bus of a runnable that was given no bus. A failure of a handler is reported as a warning. */
export function createRunEventBus(logger: Logger = silentLogger): EventBus<RunEvents> {
  const onHandlerError = (error: unknown, event: string): void => {
    const message = `A handler of the event ${event} failed.`;
    // A handler of warnings that fails must not be called again for its own failure.
    const eventBuses = event === "run.warning" ? [] : [eventBus];
    emitWarning({ code: "handler_failed", message, fields: { event, error } }, { logger, eventBuses });
  };
  const eventBus = new RunEventBus({ onHandlerError });
  return eventBus;
}
