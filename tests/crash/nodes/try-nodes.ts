import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PostgresServer, seededRandom } from "@troupe-internal/fault-tools";
import { CanarySearch } from "@troupe-internal/vendor-fakes";
import { buildService } from "../build-service.ts";
import { startClerk } from "../remote-clerk.ts";
import { judgePostgres, tracePostgres } from "../trace-writes.ts";
import { EffectsFile } from "./effects-file.ts";
import { dumpPostgres, dumpRedis } from "./engine-dump.ts";
import { countOpen, readEvidence } from "./evidence.ts";
import { Fleet } from "./fleet.ts";
import type { FleetSize } from "./fleet.ts";
import { judgeNodes } from "./judge-nodes.ts";
import { NodeFaults } from "./node-faults.ts";
import type { Servers } from "./node-faults.ts";
import type { NodeMutant } from "./node-mutants.ts";
import { canaries } from "./node-setup.ts";
import { NodesLoad } from "./nodes-load.ts";
import { NodesRecord } from "./nodes-record.ts";
import { NodesVendor } from "./nodes-vendor.ts";
import type { RunScene } from "./questions.ts";
import { RedisServer } from "./redis-server.ts";

/** A trial of a service on several machines. */
export type NodesPlan = {
  engine: "postgres" | "redis";
  seed: number;
  size: FleetSize;
  /** The number of runs that a worker performs at a time. */
  concurrency: number;
  /** The number of clients at a time, and the kinds of their runs in turn. */
  clients: number;
  scenes: readonly RunScene[];
  /** Milliseconds after the last fault in which all runs must end. */
  patienceMs: number;
  mutant?: NodeMutant;
  /** Disturbs the service while clients ask. */
  act: (stage: NodesStage) => Promise<void>;
};

/** A running service with its clients. */
type NodesStage = {
  fleet: Fleet;
  load: NodesLoad;
  faults: NodeFaults;
  random: () => number;
  /** Looks for what the engine must not know in all that it has stored. */
  searchEngine: () => Promise<void>;
};

/** Starts the servers, the processes and the clients of a plan, lets it act, and judges what is there when all runs are over. */
export async function tryNodes(plan: NodesPlan): Promise<NodesRecord> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-nodes-"));
  const open: { close: () => Promise<void> }[] = [];
  const opened = async <Resource extends { close: () => Promise<void> }>(resource: Promise<Resource>) => {
    open.unshift(await resource);
    return await resource;
  };
  const built = await buildService(new URL("./node-service.ts", import.meta.url));
  try {
    const servers: Servers = {
      postgres: await opened(PostgresServer.create()),
      redis: plan.engine === "redis" ? await opened(RedisServer.start()) : undefined,
    };
    await tracePostgres(servers.postgres.url);
    const vendor = await opened(NodesVendor.start());
    const random = seededRandom(plan.seed);
    const effects = join(folder, "effects.jsonl");
    const world = new EffectsFile(effects);
    const { concurrency, mutant } = plan;
    await using clerk = await startClerk((task) => {
      for (let left = mutant === "doublingEffects" ? 2 : 1; left > 0; left -= 1) world.appendTask(task);
    });
    const common = {
      postgres: servers.postgres.url,
      ...(servers.redis && { redis: servers.redis.url }),
      vendorUrl: vendor.url,
      clerkUrl: clerk.url,
      effects,
      concurrency,
      ...(mutant && { mutant }),
    };
    const fleet = await opened(Fleet.start(built.file, { common, size: plan.size, random }));
    return await new NodesTrial(plan, { servers, vendor, random, fleet, effects: world }).run();
  } finally {
    for (const resource of open) await resource.close();
    rmSync(folder, { recursive: true });
    built.remove();
  }
}

type Surroundings = {
  servers: Servers;
  vendor: NodesVendor;
  random: () => number;
  fleet: Fleet;
  effects: EffectsFile;
};

class NodesTrial {
  readonly #plan: NodesPlan;
  readonly #around: Surroundings;
  readonly #search = new CanarySearch(Object.values(canaries));
  readonly #faults: string[] = [];
  #searches = 0;

  constructor(plan: NodesPlan, around: Surroundings) {
    this.#plan = plan;
    this.#around = around;
  }

  async run(): Promise<NodesRecord> {
    const { servers, random, fleet, effects, vendor } = this.#around;
    const { clients, scenes, act, patienceMs } = this.#plan;
    const load = new NodesLoad({ url: () => fleet.url, effects, random, atOnce: clients, scenes });
    const faults = new NodeFaults(fleet, servers, random);
    await act({ fleet, load, faults, random, searchEngine: async () => await this.#searchEngine() });
    await fleet.whole();
    await load.end(patienceMs);
    await this.#untilEnded();
    await this.#searchEngine();
    const evidence = await readEvidence(servers.postgres.url, effects.read());
    const judged = await judgePostgres(servers.postgres.url);
    const fates = { processes: fleet.processes, disturbances: faults.disturbances };
    const found = [
      ...load.faults,
      ...judgeNodes({
        ...evidence,
        questions: load.questions,
        hasJustGoneOn: (node, at) => hasJustGoneOn(fleet, node, at),
      }),
      ...vendor.faults(canaries.key),
      ...this.#faults,
      ...judged.faults,
    ];
    const { repeatedCalls } = vendor;
    return new NodesRecord({ evidence, fates, load, found, repeatedCalls, faults, searches: this.#searches, judged });
  }

  /** Runs that no client knows may end later. */
  async #untilEnded(): Promise<void> {
    const until = performance.now() + this.#plan.patienceMs;
    while (performance.now() < until && (await countOpen(this.#around.servers.postgres.url)) > 0) await sleep(500);
  }

  async #searchEngine(): Promise<void> {
    const { postgres, redis } = this.#around.servers;
    this.#searches += 1;
    const text = redis === undefined ? await dumpPostgres(postgres.url) : await dumpRedis(redis.url);
    for (const { canary, form } of this.#search.in(text))
      this.#faults.push(`The engine has stored ${canary} (${form}).`);
  }
}

/** Milliseconds after a process went on in which it may not know yet that it was overtaken. */
const lateMs = 1000;

function hasJustGoneOn({ processes }: Fleet, node: string | undefined, at: number): boolean {
  const stops = processes.filter(({ name }) => node === undefined || name === node).flatMap((process) => process.stops);
  return stops.some(({ from, to }) => from <= at && at <= to + lateMs);
}
