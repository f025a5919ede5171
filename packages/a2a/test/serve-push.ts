import { createLogger, defineTool } from "@troupe/core";
import type { A2AServerOptions } from "../src/create-a2a-server.ts";
import type { PushOptions } from "../src/push/push-options.ts";
import type { Receiver } from "./receiver.ts";
import { serveA2A } from "./serve-a2a.ts";

/** A tool whose calls wait for their client, and a call of it. */
export const pay = defineTool({
  name: "pay",
  description: "Pays.",
  parameters: { type: "object", properties: {} },
  needsApproval: true,
  execute: () => "paid",
});
export const toolCalls = [{ id: "c1", name: "pay", arguments: {} }];

/** Serves an agent that notifies these receivers, and collects what is logged. */
export async function serveWith(
  receivers: readonly Receiver[],
  options: Partial<A2AServerOptions> & Pick<A2AServerOptions, "agents">,
  push: PushOptions = {},
) {
  const lines: string[] = [];
  const logger = createLogger({ write: (line) => void lines.push(line), level: "debug" });
  const pushNotifications = { allowPrivateHosts: receivers.map(({ host }) => host), retryMs: 5, ...push };
  const served = await serveA2A({ logger, pushNotifications, ...options });
  return { served, lines };
}

/** The part of a message of 0.x that sets a receiver. */
export const notify0 = (url: string, fields: object = {}) => ({
  configuration: { pushNotificationConfig: { url, ...fields } },
});

/** The part of a message of 1.0 that sets a receiver. */
export const notify1 = (url: string, fields: object = {}) => ({
  configuration: { taskPushNotificationConfig: { url, ...fields } },
});
