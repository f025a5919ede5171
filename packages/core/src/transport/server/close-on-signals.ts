import { withTimeout } from "../../base/async/with-timeout.ts";
import type { Service } from "../service/service.ts";
import { readCloseOptions } from "../shutdown/shutdown.ts";
import type { CloseOptions } from "../shutdown/shutdown.ts";

const signals = ["SIGTERM", "SIGINT"] as const;

/** Milliseconds after the end of a service in which the host can close other resources that keep the process alive. */
const lingerMs = 1500;

/**
 * Closes a service, and then ends the process, on SIGTERM or SIGINT. If other resources keep the process alive, ends it
 * with a warning. A second signal ends the process immediately, with exit code 1.
 */
export function closeOnSignals(service: Service, options: CloseOptions = {}): void {
  const times = readCloseOptions(options, "closeOnSignals");
  let isFirst = true;
  const onSignal = (): void => {
    if (!isFirst) process.exit(1);
    isFirst = false;
    void service.close(times).then(() => endProcess(service));
  };
  for (const signal of signals) process.on(signal, onSignal);
}

/** Lets the process end by itself. Ends it after a while if other resources keep it alive. */
async function endProcess({ logger }: Service): Promise<void> {
  const { promise: isEnded } = Promise.withResolvers<never>();
  const onTimeout = (): never => {
    logger.warn("The process is ended: something keeps it alive after the shutdown.");
    process.exit();
  };
  await withTimeout(isEnded, { timeoutMs: lingerMs, onTimeout, unref: true });
}
