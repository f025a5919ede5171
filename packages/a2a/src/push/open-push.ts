import type { Service } from "@troupe/core/transport";
import type { PushSettings } from "./push-options.ts";
import type { PushSender } from "./push-sender.ts";

/**
 * Makes the sender of a service's push notifications, which ends with the service. The code of the sender is loaded
 * here, so it is loaded only if a service sends push notifications.
 */
export function openPush(
  service: Service,
  options: { settings: PushSettings; issuer: string | undefined; basePath: string },
): Promise<PushSender> {
  const { logger, runs: durable, servedRuns } = service;
  let opened: PushSender | undefined;
  const opening = (async () => {
    const { PushSender: Sender } = await import("./push-sender.ts");
    return (opened = new Sender({ ...options, durable }));
  })();
  // If the code cannot be loaded, each call that needs it fails with the error of the import.
  opening.catch((error: unknown) => logger.error("Push notifications cannot be sent.", { error }));
  servedRuns.afterRuns(async () => await (await opening).flush());
  service.add({
    get size() {
      return opened?.size ?? 0;
    },
    // `drain` has nothing to do: the runs of the service wait for `flush`, and a durable run service ends its own
    // notifications.
    drain: async () => undefined,
    endAll: () => opened?.endAll(),
  });
  return opening;
}
