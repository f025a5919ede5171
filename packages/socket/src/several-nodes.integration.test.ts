import { setTimeout as sleep } from "node:timers/promises";
import { createAdapter as createPostgresAdapter } from "@socket.io/postgres-adapter";
import { createAdapter as createRedisAdapter } from "@socket.io/redis-streams-adapter";
import { Agent, InMemoryStorage } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import pg from "pg";
import { createClient } from "redis";
import type { ServerOptions } from "socket.io";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { serveUsers, TestClient } from "../test/test-client.ts";
import type { ServedUsers } from "../test/test-client.ts";
import type { GatewayOptions } from "./gateway-options.ts";

const redisUrl = process.env["TROUPE_TEST_REDIS_URL"] ?? "redis://not-started-by-pnpm-test-services";
const postgresUrl = process.env["TROUPE_TEST_POSTGRES_URL"] ?? "postgres://not-started-by-pnpm-test-services";

/** Servers behind one adapter, with what they have published to each other. */
type Cluster = {
  adapter: () => Promise<ServerOptions["adapter"]>;
  /** Returns the messages that name an event of the gateway. */
  published: () => Promise<string[]>;
};

/** Servers that share a stream of their own in Redis. */
async function redisCluster(): Promise<Cluster> {
  const streamName = `troupe-${crypto.randomUUID()}`;
  const connect = async () => {
    const client = createClient({ url: redisUrl });
    await client.connect();
    onTestFinished(() => client.close());
    return client;
  };
  const reader = await connect();
  return {
    adapter: async () => createRedisAdapter(await connect(), { streamName, channelPrefix: streamName }),
    published: async () => {
      const entries = await reader.xRange(streamName, "-", "+");
      return entries.map(({ message }) => JSON.stringify(message)).filter(isOfGateway);
    },
  };
}

/** Servers that notify each other through a channel of their own in PostgreSQL. */
async function postgresCluster(): Promise<Cluster> {
  const channelPrefix = `troupe_${crypto.randomUUID().replaceAll("-", "")}`;
  const messages: string[] = [];
  const setUp = new pg.Pool({ connectionString: postgresUrl, max: 1 });
  await setUp.query(
    "CREATE TABLE IF NOT EXISTS socket_io_attachments (id bigserial UNIQUE, created_at timestamptz DEFAULT NOW(), payload bytea)",
  );
  await setUp.end();
  return {
    adapter: async () => {
      const pool = new pg.Pool({ connectionString: postgresUrl });
      const query = pool.query.bind(pool) as (...asked: unknown[]) => unknown;
      pool.query = ((...asked: unknown[]) => {
        messages.push(JSON.stringify(asked));
        return query(...asked);
      }) as typeof pool.query;
      onTestFinished(() => pool.end());
      return createPostgresAdapter(pool, { channelPrefix });
    },
    published: async () => messages.filter(isOfGateway),
  };
}

function isOfGateway(message: string): boolean {
  return message.includes("agent.");
}

/** Serves the same agents at two nodes. */
async function serveNodes(
  cluster: Cluster,
  options: () => Promise<Omit<GatewayOptions, "io">>,
  server: Partial<ServerOptions> = {},
): Promise<[ServedUsers, ServedUsers]> {
  const serve = async () => await serveUsers(await options(), { ...server, adapter: await cluster.adapter() });
  const nodes: [ServedUsers, ServedUsers] = [await serve(), await serve()];
  await vi.waitFor(async () => {
    for (const { io } of nodes) expect(await io.of("/service").adapter.serverCount()).toBe(2);
  });
  return nodes;
}

const words = Array.from({ length: 50 }, (_, at) => `word${at} `).join("");

/** An agent that says the question and fifty words, at a pace. */
function talker(chunkDelayMs = 2): Agent {
  const model = new ScriptedModel().respond(({ messages }) => {
    const { content = "" } = messages.at(-1) ?? {};
    return { text: `${typeof content === "string" ? content : ""} ${words}`, chunkDelayMs };
  });
  return new Agent({ name: "talker", model, logLevel: "silent" });
}

describe.each<[name: string, url: string, start: () => Promise<Cluster>]>([
  ["Redis streams", redisUrl, redisCluster],
  ["PostgreSQL", postgresUrl, postgresCluster],
])("two nodes behind the adapter for %s", (_, url, start) => {
  it.skipIf(url === "")(
    "run agents each for their own sockets, and publish nothing of it [socket.several-nodes]",
    async () => {
      const cluster = await start();
      const nodes = await serveNodes(cluster, async () => ({ agents: { a: talker() } }));
      const askers = await Promise.all(nodes.map((node) => node.join()));
      const watchers = await Promise.all(nodes.map((node) => node.join()));

      const ends = await Promise.all(askers.map((asker, at) => asker.run({ name: "a", input: `question ${at}` })));
      // A message of its own shows that the nodes hear each other, and that all before it has arrived.
      nodes[0].io.of("/service").emit("test.agent.marker", { from: 0 });
      for (const client of [...askers, ...watchers]) await client.until(({ name }) => name === "test.agent.marker");

      for (const [at, { name, payload }] of ends.entries()) {
        expect(name).toBe("agent.done");
        expect(askers[at]?.textOf(payload["runId"])).toBe(`question ${at} ${words}`);
        expect(new Set(askers[at]?.received.map(({ payload: { runId } }) => runId))).toEqual(
          new Set([payload["runId"], undefined]),
        );
      }
      for (const watcher of watchers) expect(watcher.namesOf()).toEqual(["test.agent.marker"]);
      await vi.waitFor(async () => expect(await cluster.published()).toHaveLength(1));
    },
  );

  it.skipIf(url === "")(
    "let a run be cancelled by the socket that has it, and by none of the other node [socket.several-nodes]",
    async () => {
      const nodes = await serveNodes(await start(), async () => ({ agents: { a: talker(50) } }));
      const [asker, other] = [await nodes[0].join(), await nodes[1].join()];
      const { runId } = await asker.ask("agent.run", { name: "a", input: "Hello?" });
      await asker.until(({ name }) => name === "agent.chunk");

      expect(await other.ask("agent.cancel", { runId })).toMatchObject({ code: "not_found" });
      expect(nodes[0].gateway.service.servedRuns.size).toBe(1);
      expect(await asker.ask("agent.cancel", { runId })).toMatchObject({ runId });

      const { name, payload } = await asker.endOf(String(runId));
      expect([name, payload["code"]]).toEqual(["agent.error", "cancelled"]);
    },
  );

  it.skipIf(url === "")(
    "show a durable run to its user at either node, from its beginning [socket.several-nodes]",
    async () => {
      const storage = new InMemoryStorage();
      const nodes = await serveNodes(await start(), async () => {
        const agents = { a: talker() };
        const runs = new RunService({ agents, storage });
        await runs.serve();
        onTestFinished(() => runs.close());
        return { agents, runs };
      });
      const auth = { user: "ada" };
      const [asker, other] = [await nodes[0].join({ auth }), await nodes[1].join({ auth })];
      const stranger = await nodes[1].join({ auth: { user: "eve" } });
      const { runId } = await asker.ask("agent.run", { name: "a", input: "question" });
      await asker.until(({ name }) => name === "agent.chunk");

      expect(await stranger.ask("agent.attach", { runId })).toMatchObject({ code: "not_found" });
      expect(await other.ask("agent.attach", { runId })).toMatchObject({ runId });
      const ends = await Promise.all([asker, other].map((client) => client.endOf(String(runId))));

      expect(ends.map(({ name }) => name)).toEqual(["agent.done", "agent.done"]);
      for (const client of [asker, other]) expect(client.textOf(runId)).toBe(`question ${words}`);
      expect(stranger.received.filter(({ name }) => name !== "agent.error")).toEqual([]);
    },
  );
});

describe("two nodes behind the adapter for Redis streams, with connection state recovery", () => {
  it.skipIf(redisUrl === "")(
    "send a run that goes on at one node to its socket that came back at the other, without a gap [socket.recovery-nodes]",
    // The adapter loses what it gets between its last look at the stream and the entry of the socket into its rooms.
    { retry: 2 },
    async () => {
      const recovery = { connectionStateRecovery: { maxDisconnectionDuration: 60_000 } };
      const nodes = await serveNodes(await redisCluster(), async () => ({ agents: { a: talker(10) } }), recovery);
      const socket = await nodes[0].connect({ transports: ["websocket"], reconnection: true, reconnectionDelay: 1 });
      const client = new TestClient(socket);
      const { runId } = await client.ask("agent.run", { name: "a", input: "question" });
      await client.until(({ name }) => name === "agent.chunk");
      await sleep(50);
      const [before, id] = [client.textOf(runId), socket.id];

      const back = new Promise((resolve) => socket.once("connect", () => resolve(undefined)));
      moveTo(socket, nodes[1].url);
      await back;
      const { name } = await client.endOf(String(runId));

      expect(before.length).toBeLessThan(words.length);
      expect([socket.recovered, socket.id]).toEqual([true, id]);
      expect(nodes[1].io.of("/service").sockets.size).toBe(1);
      expect([name, client.textOf(runId)]).toEqual(["agent.done", `question ${words}`]);
      await vi.waitFor(() => expect(nodes[0].gateway.service.servedRuns.size).toBe(0));
    },
  );
});

/** Breaks the connection of a client, which then connects again at another node, as a load balancer would have it. */
function moveTo(socket: TestClient["socket"], url: string): void {
  const manager = socket.io as unknown as { uri: string; engine: { transport: { ws: { terminate: () => void } } } };
  manager.uri = url;
  manager.engine.transport.ws.terminate();
}
