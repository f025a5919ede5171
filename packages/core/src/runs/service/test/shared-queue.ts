import type { Json } from "../../../sessions/storage/json.ts";
import { InMemoryStorage } from "../../../sessions/storage/in-memory-storage.ts";
import type { ListOptions, StorageDriver } from "../../../sessions/storage/storage-driver.ts";
import type { PostponedJob, Perform, RunEngine, RunJob, Serving } from "../../processes/run-engine.ts";

type Server = {
  readonly node: string;
  readonly perform: Perform;
  readonly concurrency: number;
  readonly controller: AbortController;
  readonly running: Map<string, { job: RunJob; work: Promise<void> }>;
  isClosed: boolean;
};

/** A job that was delivered, the process that got it, and what that returned. */
type Delivery = { readonly node: string; readonly job: RunJob; readonly back: PostponedJob | undefined };

/** A queue of several processes for tests, and the storage that they share. A process of it can be killed. */
export class SharedQueue {
  readonly storage = new InMemoryStorage();
  /** Deliveries that are over. */
  readonly deliveries: Delivery[] = [];
  /** The part of each pause that is waited. */
  pauseScale = 0.02;
  /** True while no process reaches the engine. */
  isAway = false;
  /** Called before each call of a process on the storage: it may kill the process. */
  onCall: (node: string, call: string) => void = () => undefined;
  readonly #jobs = new Map<string, { job: RunJob; dueAt: number }>();
  #servers: Server[] = [];
  readonly #killed = new Set<string>();

  /** The names of the processes that handed jobs back, in their order. */
  get handedBack(): string[] {
    return this.deliveries.filter(({ back }) => back !== undefined).map(({ node }) => node);
  }

  /** The names of the processes that take jobs. */
  get served(): string[] {
    return this.#servers.map(({ node }) => node);
  }

  /** Returns the options of a service that is one process. */
  node(node: string): { node: string; engine: RunEngine; storage: StorageDriver; now: () => number } {
    const reach = async (call: string): Promise<void> => {
      this.onCall(node, call);
      await new Promise<void>((resolve) => void (this.#killed.has(node) || setImmediate(resolve)));
    };
    const storage = new NodeStorage(this.storage, reach);
    // The clock of the test, which may be another one than when the module was loaded.
    return { node, engine: this.#engineOf(node), storage, now: () => Date.now() };
  }

  /** Lets a process write and answer nothing from now on, and gives its jobs to others. */
  kill(node: string): void {
    this.#killed.add(node);
    const [server] = this.#servers.filter((each) => each.node === node);
    this.#servers = this.#servers.filter((each) => each !== server);
    for (const { job } of server?.running.values() ?? []) this.submit(job);
  }

  isKilled(node: string): boolean {
    return this.#killed.has(node);
  }

  /** Gives a job to a process at once, whatever the others do with it. */
  async deliver(node: string, job: RunJob): Promise<void | PostponedJob> {
    const server = this.#servers.find((each) => each.node === node);
    return await server?.perform(job, server.controller.signal);
  }

  submit(job: RunJob, delayMs = 0): void {
    const name = `${job.runId}_${job.activation}`;
    const isRunning = this.#servers.some((server) => server.running.has(name));
    if (this.#jobs.has(name) || isRunning || this.#killed.has("queue")) return;
    this.#jobs.set(name, { job, dueAt: Date.now() + Math.max(delayMs, (job.notBefore ?? 0) - Date.now()) });
    setTimeout(() => this.#take(), delayMs + 1).unref();
    this.#take();
  }

  #take(): void {
    for (const [name, { job, dueAt }] of this.#jobs) {
      if (dueAt > Date.now()) continue;
      const server = this.#servers.find(({ running, concurrency }) => running.size < concurrency);
      if (server === undefined) return;
      // The next job is another process's.
      this.#servers = [...this.#servers.filter((each) => each !== server), server];
      this.#jobs.delete(name);
      server.running.set(name, { job, work: this.#perform(server, name, job) });
    }
  }

  async #perform(server: Server, name: string, job: RunJob): Promise<void> {
    await Promise.resolve();
    const back = (await server.perform(job, server.controller.signal).catch(() => undefined)) ?? undefined;
    if (this.#killed.has(server.node)) return;
    server.running.delete(name);
    this.deliveries.push({ node: server.node, job, back });
    if (server.controller.signal.aborted) this.submit(job);
    else if (back !== undefined) this.submit(job, Math.ceil(back.againInMs * this.pauseScale));
    this.#take();
  }

  #engineOf(node: string): RunEngine {
    return {
      submit: async (job) => {
        this.#checkThere();
        if (this.#killed.has(node)) return;
        this.submit(job);
      },
      withdraw: async (runId) => {
        this.#checkThere();
        for (const [name, { job }] of this.#jobs) if (job.runId === runId) this.#jobs.delete(name);
      },
      serve: async (perform, { concurrency }) => this.#serve(node, perform, concurrency),
      waiting: async () => {
        this.#checkThere();
        return this.#jobs.size;
      },
      close: async () => undefined,
    };
  }

  #checkThere(): void {
    if (this.isAway) throw new Error("The engine cannot be reached.");
  }

  #serve(node: string, perform: Perform, concurrency: number): Serving {
    const controller = new AbortController();
    const server: Server = { node, perform, concurrency, controller, running: new Map(), isClosed: false };
    this.#servers = [server, ...this.#servers];
    this.#take();
    return {
      drain: async (graceMs) => {
        this.#servers = this.#servers.filter((each) => each !== server);
        if (this.#killed.has(node)) return;
        const timer = setTimeout(() => controller.abort(), graceMs);
        await Promise.all(Array.from(server.running.values(), ({ work }) => work));
        clearTimeout(timer);
      },
    };
  }
}

/**
 * The storage of one process over the one that all share: once the process is killed, nothing is written or answered.
 */
class NodeStorage implements StorageDriver {
  readonly #shared: InMemoryStorage;
  readonly #reach: (call: string) => Promise<void>;

  constructor(shared: InMemoryStorage, reach: (call: string) => Promise<void>) {
    this.#shared = shared;
    this.#reach = reach;
  }

  async get(namespace: string, key: string): Promise<Json | null> {
    await this.#reach(`get ${namespace}`);
    return await this.#shared.get(namespace, key);
  }

  async set(namespace: string, key: string, value: Json): Promise<void> {
    await this.#reach(`set ${namespace}`);
    await this.#shared.set(namespace, key, value);
  }

  async delete(namespace: string, key: string): Promise<void> {
    await this.#reach(`delete ${namespace}`);
    await this.#shared.delete(namespace, key);
  }

  async list(namespace: string, prefix?: string, options?: ListOptions) {
    await this.#reach(`list ${namespace}`);
    return await this.#shared.list(namespace, prefix, options);
  }

  // oxlint-disable-next-line max-params -- the contract's shape
  async compareAndSet(namespace: string, key: string, expected: Json | null, next: Json | null): Promise<boolean> {
    await this.#reach(`compareAndSet ${namespace}`);
    return await this.#shared.compareAndSet(namespace, key, expected, next);
  }

  async insertAll(writes: readonly { namespace: string; key: string; value: Json }[]): Promise<boolean[]> {
    await this.#reach("insertAll");
    return await this.#shared.insertAll(writes);
  }

  watch(namespace: string, listener: () => void): () => void {
    return this.#shared.watch(namespace, listener);
  }

  async close(): Promise<void> {
    // The others go on with it.
  }
}
