import { setTimeout as sleep } from "node:timers/promises";
import type { PostgresServer } from "@troupe-internal/fault-tools";
import type { Fleet } from "./fleet.ts";
import type { NodeProcess } from "./node-process.ts";
import type { RedisServer } from "./redis-server.ts";
import type { Disturbance } from "./takeovers.ts";

/** The lock of the engine on a run. */
const lockMs = 3000;

/** The servers of a trial. Without a Redis the engine is in PostgreSQL. */
export type Servers = { postgres: PostgresServer; redis?: RedisServer | undefined };

/** A fault, by its name in the report. */
export type FaultName = keyof NodeFaults["counts"];

/** Faults of processes and servers, and what they were. */
export class NodeFaults {
  readonly counts = { workerKills: 0, apiKills: 0, stops: 0, postgresRestarts: 0, flushes: 0, redisKills: 0 };
  readonly disturbances: Disturbance[] = [];
  readonly #fleet: Fleet;
  readonly #servers: Servers;
  readonly #random: () => number;

  constructor(fleet: Fleet, servers: Servers, random: () => number) {
    this.#fleet = fleet;
    this.#servers = servers;
    this.#random = random;
  }

  get kills(): number {
    return this.counts.workerKills + this.counts.apiKills;
  }

  /** Applies a fault, and resolves when it is over; a process that was killed comes back later. */
  async apply(name: FaultName): Promise<void> {
    const { postgres, redis } = this.#servers;
    this.counts[name] += 1;
    if (name === "workerKills") return await this.#fleet.kill(await this.#any("worker"));
    if (name === "apiKills") return await this.#fleet.kill(await this.#any("api"));
    if (name === "stops") return await this.#stop(await this.#any(this.#random() < 0.75 ? "worker" : "api"));
    await this.#disturb(async () => {
      if (name === "flushes") return await redis?.flush();
      if (name === "redisKills") return await redis?.crash();
      await postgres.stop("immediate");
      await postgres.start();
    });
  }

  async #disturb(work: () => Promise<void>): Promise<void> {
    const disturbance = { from: Date.now(), to: Infinity };
    this.disturbances.push(disturbance);
    await work();
    disturbance.to = Date.now();
  }

  /** Stops a process for twice the lock. */
  async #stop(process: NodeProcess): Promise<void> {
    await process.freeze();
    await sleep(2 * lockMs);
    await process.thaw();
  }

  /** One of the processes of a kind that serve, as soon as there is one. */
  async #any(role: "api" | "worker"): Promise<NodeProcess> {
    for (;;) {
      const serving = this.#fleet.serving(role);
      const process = serving[Math.floor(this.#random() * serving.length)];
      if (process !== undefined) return process;
      await sleep(20);
    }
  }
}

/** The faults of a trial with so many kills: three of four hit a worker, and other faults come between them. */
export function planFaults(kills: number, hasRedis: boolean): FaultName[] {
  return Array.from({ length: kills }, (_, index) => {
    const kill: FaultName = index % 4 === 2 ? "apiKills" : "workerKills";
    return [kill, ...(index % 4 === 1 ? (["stops"] as const) : []), ...serverFaults(index, hasRedis)];
  }).flat();
}

function serverFaults(index: number, hasRedis: boolean): FaultName[] {
  if (index % 6 === 3) return hasRedis ? ["redisKills"] : ["postgresRestarts"];
  if (index % 6 === 0) return hasRedis ? ["flushes"] : [];
  return index % 6 === 5 ? ["postgresRestarts"] : [];
}
