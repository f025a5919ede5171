import { toPublicError } from "../../base/errors/public-error.ts";
import type { ErrorFields } from "../../base/errors/troupe-error.ts";
import type { EventBus } from "../../base/events/event-bus.ts";
import { writesLevel } from "../../base/log/logger.ts";
import type { LogFields, Logger } from "../../base/log/logger.ts";
import { createMasker } from "../../base/util/create-masker.ts";
import type { EventIds } from "./event-ids.ts";
import type { RunEvents } from "./run-events.ts";

/**
 * A warning before it is emitted by `emitWarning`: a failure that does not end a run, such as failed background work,
 * or an option without effect. The code is for programs, the message for people. An `error` among its fields is logged
 * whole; events receive only its code and public message.
 */
export type Warning = { readonly code: string; readonly message: string; readonly fields?: LogFields | undefined };

/** The logger and event buses that receive a warning, the ids of its run, and the API keys to mask in the event. */
export type WarningReceivers = {
  readonly logger: Logger;
  /** The buses that receive the warning. A bus that is listed twice receives it once. */
  readonly eventBuses: Iterable<EventBus<RunEvents>>;
  readonly ids?: EventIds | undefined;
  readonly secrets?: Iterable<string | undefined>;
};

/**
 * Logs a warning at level `warn` and emits it as `run.warning`. Within a run call `Run.warn` instead; this function is
 * for work that belongs to no run.
 */
export function emitWarning({ code, message, fields = {} }: Warning, receivers: WarningReceivers): void {
  const { logger, eventBuses, ids, secrets = [] } = receivers;
  logger.warn(message, { ...fields, code });
  const listening = [...new Set(eventBuses)].filter((bus) => bus.has("run.warning"));
  if (listening.length === 0) return;
  const mask = createMasker([...secrets].filter((secret) => secret !== undefined));
  const shown = toEventFields(fields, mask);
  const warning: RunEvents["run.warning"] = {
    ...ids,
    code,
    message: mask(message),
    ...(Object.keys(shown).length > 0 && { fields: shown }),
    ...(writesLevel(logger, "warn") && { logged: true }),
  };
  for (const bus of listening) bus.emit("run.warning", warning);
}

/**
 * Returns a warning's fields for its event: plain values, and the error's public part, because events must not contain
 * a vendor's text.
 */
function toEventFields({ error, ...fields }: LogFields, mask: (text: string) => string): ErrorFields {
  const shown: Record<string, string | number | boolean | null> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === "string") shown[name] = mask(value);
    else if (typeof value === "number" || typeof value === "boolean" || value === null) shown[name] = value;
  }
  if (error === undefined) return shown;
  const { code, message } = toPublicError(error);
  return { ...shown, errorCode: code, error: mask(message) };
}
