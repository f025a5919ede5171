import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { expect, vi } from "vitest";
import { serveLoopback } from "../../../../test/loopback-server.ts";
import { Workflow } from "../../../agents/workflow/workflow.ts";
import { InMemoryStorage } from "../../../sessions/storage/in-memory-storage.ts";
import type { RunServiceOptions } from "../../processes/run-service-options.ts";
import { sealKey } from "../../webhooks/test/webhook-world.ts";
import type { WebhookOptions } from "../../webhooks/webhook-options.ts";
import type { RunService } from "../run-service.ts";
import { scriptedAgent } from "./services.ts";

type Got = { headers: Record<string, string>; body: string };

/** A workflow that asks a question. */
export const flow = new Workflow({
  name: "flow",
  initialState: {},
  steps: [{ name: "age", ask: () => "How old is Größe?" }],
});

/** A receiver over HTTP, which answers 204 unless told otherwise. */
export async function startReceiver(
  answer: (response: ServerResponse, count: number) => unknown = (response) => response.writeHead(204).end(),
) {
  const got: Got[] = [];
  const take = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    got.push({ headers: toPlain(incoming.headers), body: await text(incoming) });
    answer(response, got.length);
  };
  const server = await serveLoopback((incoming, response) => void take(incoming, response));
  return { url: `${server.url}/hook?token=canary-in-address`, host: `127.0.0.1:${server.port}`, got, server };
}

function toPlain(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

type Given = Omit<RunServiceOptions, "webhooks"> & { webhooks?: WebhookOptions };

/** Options of a service whose webhooks may be on this machine. */
export function hookedOptions(host: string, { webhooks, ...more }: Given = {}): RunServiceOptions {
  return {
    storage: new InMemoryStorage(),
    agents: { a: scriptedAgent([{ text: "canary-in-output" }, { text: "Again." }]) },
    workflows: { flow },
    sealKeys: [sealKey],
    webhooks: { allowPrivateHosts: [host], ...webhooks },
    ...more,
  };
}

/** Waits until the first attempt at the only delivery of a run has failed. */
export const untilFailed = async (service: RunService, runId: string) =>
  await vi.waitFor(async () => {
    const found = await service.webhooks.deliveries(runId, "host");
    expect(found).toMatchObject([{ problem: expect.any(String) as string }]);
    return found;
  });

/** Waits until so many deliveries of a run are over. */
export const untilSettled = async (service: RunService, runId: string, count = 1) =>
  await vi.waitFor(async () => {
    const found = await service.webhooks.deliveries(runId, "host");
    expect(found.filter(({ status }) => status !== "pending")).toHaveLength(count);
    return found;
  });
