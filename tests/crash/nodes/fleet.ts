import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "@troupe-internal/fault-tools";
import { NodeProcess } from "./node-process.ts";
import type { NodeSetup } from "./node-setup.ts";

/** The setup that all processes of a service have in common. */
type Common = Omit<NodeSetup, "role" | "node" | "port">;

/** A place in the service for one process at a time: the next one comes when the one before is dead. */
type Slot = { role: NodeSetup["role"]; port: number; name: string; current: NodeProcess };

/** The sizes of a service: its API nodes and its workers. */
export type FleetSize = { apis: number; workers: number };

/** The processes of a service on several machines. Those that are killed are started again. */
export class Fleet {
  /** All processes, also dead ones. */
  readonly processes: NodeProcess[] = [];
  readonly #file: URL;
  readonly #common: Common;
  readonly #random: () => number;
  readonly #slots: Slot[] = [];
  readonly #restarts = new Set<Promise<void>>();

  private constructor(file: URL, common: Common, random: () => number) {
    this.#file = file;
    this.#common = common;
    this.#random = random;
  }

  /** Starts all processes of a service, whose program is a built file. */
  static async start(file: URL, init: { common: Common; size: FleetSize; random: () => number }): Promise<Fleet> {
    const fleet = new Fleet(file, init.common, init.random);
    try {
      for (let index = 1; index <= init.size.apis; index += 1) await fleet.#open("api", index);
      for (let index = 1; index <= init.size.workers; index += 1) await fleet.#open("worker", index);
      await Promise.all(fleet.#slots.map(({ current }) => current.serve()));
      return fleet;
    } catch (error) {
      await fleet.close();
      throw error;
    }
  }

  /** The address of one of the API nodes, which may be dead at the moment. */
  get url(): string {
    return this.#pick(this.#slots.filter(({ role }) => role === "api")).current.url;
  }

  /** The processes of a kind that serve at the moment. */
  serving(role: NodeSetup["role"]): NodeProcess[] {
    return this.#slots.flatMap((slot) => (slot.role === role && slot.current.isServing ? [slot.current] : []));
  }

  /** Kills a process, and starts another one in its place after a while. */
  async kill(process: NodeProcess): Promise<void> {
    await process.kill();
    const slot = this.#slots.find(({ current }) => current === process);
    if (slot === undefined) return;
    const restart = this.#restart(slot);
    this.#restarts.add(restart);
    void restart.finally(() => this.#restarts.delete(restart));
  }

  /** Resolves when no process is missing. */
  async whole(): Promise<void> {
    await Promise.all(this.#restarts);
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#restarts);
    await Promise.all(this.processes.map((process) => process.close()));
  }

  async #open(role: NodeSetup["role"], index: number): Promise<void> {
    const slot = { role, port: role === "api" ? await freePort() : 0, name: `${role}${index}` };
    this.#slots.push({ ...slot, current: await this.#boot(slot) });
  }

  async #restart(slot: Slot): Promise<void> {
    const next = await this.#boot(slot);
    slot.current = next;
    await sleep(300 + this.#random() * 2000);
    await next.serve();
  }

  async #boot({ role, port, name }: Pick<Slot, "role" | "port" | "name">): Promise<NodeProcess> {
    const node = `${name}.${this.processes.length}`;
    const process = await NodeProcess.boot(this.#file, { ...this.#common, role, port, node });
    this.processes.push(process);
    return process;
  }

  #pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.#random() * items.length)];
    if (item === undefined) throw new Error("There is nothing to choose from.");
    return item;
  }
}
