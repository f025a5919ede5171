import { join } from "node:path";
import { PostgresServer } from "@troupe-internal/fault-tools";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { RunReader } from "./test/run-reader.ts";
import { DemoServers, post } from "./test/start-demo.ts";
import type { StartedDemo } from "./test/start-demo.ts";

/** Counting to it takes about eight seconds of the offline model. */
const far = 200;
const counted = Array.from({ length: far }, (_, index) => index + 1).join(" ");

type ShownRun = { runId: string; status: string; attempts: number; node?: string; output?: { text: string } };

/** Two demo servers that share their runs. */
type TwoNodes = { readonly servers: DemoServers; readonly nodes: readonly StartedDemo[]; close: () => Promise<void> };

const hasPostgres = (process.env["TROUPE_TEST_POSTGRES_URL"] ?? "") !== "" && PostgresServer.isInstalled();
const redis = process.env["TROUPE_TEST_REDIS_URL"] ?? "";

/** On PostgreSQL they are as on two machines: each has a folder of its own, and the key is given to both. */
async function startOnPostgres(): Promise<TwoNodes> {
  const server = await PostgresServer.create();
  const servers = new DemoServers();
  const shared = { DATABASE_URL: server.url, TROUPE_DEMO_SEAL_KEY: "a key that both of the servers share" };
  const nodes = await Promise.all(
    ["one", "other"].map((folder) => servers.start({ ...shared, TROUPE_DEMO_DATA: join(servers.folder, folder) })),
  );
  const close = async (): Promise<void> => {
    await servers.dispose();
    await server.close();
  };
  return { servers, nodes, close };
}

/** On Redis they are on one machine: they share the folder with the SQLite file and the key. */
async function startOnRedis(): Promise<TwoNodes> {
  const servers = new DemoServers();
  const nodes = await Promise.all([1, 2].map(async () => await servers.start({ REDIS_URL: redis })));
  return { servers, nodes, close: async () => await servers.dispose() };
}

async function readRun({ url }: StartedDemo, runId: string): Promise<ShownRun> {
  const response = await fetch(`${url}/runs/${runId}`);
  return (await response.json()) as ShownRun;
}

/** Accepts a run on a node, and waits until one of both performs it. Returns it with the node that does, and the other one. */
async function begin(nodes: readonly StartedDemo[], input: string) {
  const [accepting] = nodes as [StartedDemo];
  const response = await fetch(`${accepting.url}/agents/assistant/run`, post({ input }, { prefer: "respond-async" }));
  const { runId } = (await response.json()) as ShownRun;
  const performs = await vi.waitFor(
    async () => {
      const { node } = await readRun(accepting, runId);
      const found = nodes.find(({ said }) => node !== undefined && said.includes(` ${node}\n`));
      expect(found).toBeDefined();
      return found as StartedDemo;
    },
    { timeout: 60_000, interval: 100 },
  );
  return { runId, performs, other: nodes.find((node) => node !== performs) as StartedDemo };
}

describe.each([
  { database: "PostgreSQL", isThere: hasPostgres, start: startOnPostgres },
  { database: "Redis", isThere: redis !== "", start: startOnRedis },
])("two demo servers on one $database", { timeout: 240_000 }, ({ database, isThere, start }) => {
  let both: TwoNodes;
  beforeAll(async () => {
    if (isThere) both = await start();
  }, 120_000);
  afterAll(async () => await both?.close());

  it.skipIf(!isThere)("say in their banner who they are and over what they share their runs", () => {
    for (const { said } of both.nodes) expect(said).toContain("shared by all servers on");
    const names = both.nodes.map(({ said }) => /node {7}(\S+)/.exec(said)?.[1]);

    expect(new Set(names).size).toBe(2);
  });

  it.skipIf(!isThere)("cancel a run that the other one performs", async () => {
    const { runId, other } = await begin(both.nodes, `Count to ${far}`);
    const response = await fetch(`${other.url}/runs/${runId}/cancel`, post({}));
    expect(response.ok).toBe(true);
    const reader = await new RunReader().read(await fetch(`${other.url}/runs/${runId}/events`));

    expect(reader.last).toMatchObject({ type: "error", error: { code: "cancelled" } });
    expect(await readRun(other, runId)).toMatchObject({ status: "cancelled" });
  });

  it.skipIf(!isThere)("take an approval for a run that the other one has accepted", async () => {
    const [one, other] = both.nodes as [StartedDemo, StartedDemo];
    const asked = await fetch(`${one.url}/agents/concierge/run`, post({ input: "Book a room in Oslo." }));
    const { runId, waits } = (await asked.json()) as ShownRun & { waits: { waitId: string }[] };
    const path = `${other.url}/runs/${runId}`;
    const answered = await fetch(`${path}/answers/${waits[0]?.waitId}`, post({ approved: true }));
    expect(answered.ok).toBe(true);
    await new RunReader().read(await fetch(`${path}/events`));

    expect(await readRun(one, runId)).toMatchObject({ status: "completed" });
  });

  it.skipIf(!isThere)("finish a stream whose performing process is killed in the middle of its text", async () => {
    const { runId, performs, other } = await begin(both.nodes, `Count to ${far}`);
    const events = `${other.url}/runs/${runId}/events?events=all`;
    const reader = new RunReader();
    await reader.read(await fetch(events), () => reader.text.includes("10"));
    performs.child.kill("SIGKILL");
    await performs.exit;
    await reader.read(await fetch(events, { headers: reader.position }));

    expect(reader.text).toBe(counted);
    expect(reader.last).toMatchObject({ type: "finish", finishReason: "stop" });
    expect(new Set(reader.ids).size).toBe(reader.ids.length);
    const run = await readRun(other, runId);
    expect(run).toMatchObject({ status: "completed", output: { text: counted } });
    // A survivor that a slow machine keeps from its heartbeats takes over its own attempt.
    expect(run.attempts).toBeGreaterThanOrEqual(2);
    expect(other.said, `the survivor on ${database} is the node`).toContain(` ${run.node}\n`);
  });
});
