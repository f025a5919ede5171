import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { checkOwners, usersOfAll } from "@troupe-internal/fault-tools";
import { Agent, createLogger, InMemoryStorage, TroupeError } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import type { SessionOwner, StorageDriver } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { SqliteStorage } from "@troupe/storage-sqlite";
import { describe, expect, it, onTestFinished, vi } from "vitest";

type User = SessionOwner & { userId: string };

const shows = [
  "packages/core/src/runs/record/run-notice.ts",
  "packages/core/src/runs/webhooks/run-notices.ts",
  "packages/core/src/runs/webhooks/stored-webhooks.ts",
  "packages/core/src/runs/webhooks/webhook-dispatch.ts",
];
const secret = `whsec_${"MDEyMzQ1Njc4OWFi".repeat(3)}`;
const run = { kind: "agent", name: "a", input: "Hello." } as const;

const storages: [name: string, create: () => StorageDriver][] = [
  ["InMemoryStorage", () => new InMemoryStorage()],
  ["SqliteStorage", () => new SqliteStorage(":memory:")],
];

/** A receiver on this machine, which keeps the ids of the runs of which each of its paths was told. */
async function receiver() {
  const told = new Map<string, string[]>();
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? "";
    const { data } = JSON.parse(await text(request)) as { data: { runId: string } };
    told.set(path, [...(told.get(path) ?? []), data.runId]);
    response.writeHead(204).end();
  };
  const server = createServer((request, response) => void take(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, told };
}

function makeService(storage: StorageDriver, host: string): RunService {
  const agent = new Agent({ name: "a", model: new ScriptedModel().respond(() => "Yes.") });
  const service = new RunService({
    agents: { a: agent },
    storage,
    logger: createLogger({ level: "silent" }),
    sealKeys: ["a seal key of thirty-two characters"],
    webhooks: { maxPerOwner: 1, allowPrivateHosts: [host] },
  });
  onTestFinished(async () => await service.close());
  return service;
}

describe.each(storages)("the webhooks of several owners' runs, in %s", (_, create) => {
  it("are told of their own runs and of nothing else", async () => {
    const { host, told } = await receiver();
    const service = makeService(create(), host);
    await service.serve();
    const marks = new Map<string, string>();
    const pathOf = (owner: User) => `/${encodeURIComponent(JSON.stringify(owner))}`;

    await checkOwners({
      shows,
      owners: usersOfAll,
      leave: async (owner, mark) => {
        const webhook = { url: `http://${host}${pathOf(owner)}`, secret };
        marks.set((await service.accept({ ...run, owner, webhook })).runId, mark);
        await vi.waitFor(() => expect(told.get(pathOf(owner))).toHaveLength(1));
      },
      find: async (owner) => (told.get(pathOf(owner)) ?? []).map((runId) => marks.get(runId) ?? "an unknown run"),
    });
  });

  it("count for their own owner, until it is forgotten", async () => {
    const { host } = await receiver();
    // The runs stay queued: the service performs none.
    const service = makeService(create(), host);
    const webhook = { url: `http://${host}/`, secret };
    const marks = new Map<string, string>();

    await checkOwners({
      shows,
      owners: usersOfAll,
      leave: async (owner, mark) => {
        await service.accept({ ...run, owner, webhook });
        marks.set(JSON.stringify(owner), mark);
      },
      find: async (owner) => {
        try {
          await service.delete((await service.accept({ ...run, owner, webhook })).runId, "host");
          return [];
        } catch (error) {
          if (!TroupeError.is(error) || error.code !== "rate_limited") throw error;
          return [marks.get(JSON.stringify(owner)) ?? "an unknown run"];
        }
      },
      remove: async (owner) => await service.forgetUser(owner),
    });
  });
});
