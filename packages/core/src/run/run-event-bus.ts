import { EventBus } from "../events/event-bus.ts";
import type { RunEvents } from "./run-events.ts";

/**
 * Events by name and their handlers: of runs, or of other kinds with a type argument. The `EventBus` of the main entry
 * point.
 */
export class RunEventBus<Events extends object = RunEvents> extends EventBus<Events> {}
