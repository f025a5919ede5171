import { TestChild } from "@troupe-internal/fault-tools";
import type { NodeOrder, NodeSetup, SweptRun } from "./node-setup.ts";

/** A process of a service, by its name in the log of runs. */
export class NodeProcess {
  readonly setup: NodeSetup;
  /** Epoch milliseconds at which it began to serve, and at which it was killed. */
  servesSince = Infinity;
  killedAt = Infinity;
  /** Times at which it was stopped and went on. */
  readonly stops: { from: number; to: number }[] = [];
  readonly #child: TestChild;

  private constructor(setup: NodeSetup, child: TestChild) {
    this.setup = setup;
    this.#child = child;
  }

  /** Starts a process that does not serve yet. */
  static async boot(file: URL, setup: NodeSetup): Promise<NodeProcess> {
    const child = await TestChild.start(file, { args: [JSON.stringify(setup)] });
    return new NodeProcess(setup, child);
  }

  get name(): string {
    return this.setup.node;
  }

  get url(): string {
    return `http://127.0.0.1:${this.setup.port}`;
  }

  /** Everything that the process has logged. */
  get output(): string {
    return this.#child.output.toString();
  }

  /** True while it serves and is not stopped. */
  get isServing(): boolean {
    return this.servesSince !== Infinity && this.killedAt === Infinity && !this.isStopped;
  }

  get isStopped(): boolean {
    return this.stops.at(-1)?.to === Infinity;
  }

  /** Runs that its sweep has submitted. */
  get swept(): SweptRun[] {
    return this.#child.messages.filter((message): message is SweptRun => has(message, "swept"));
  }

  /** Returns true if it was serving, and not stopped, at a time. */
  servedAt(time: number): boolean {
    const isStopped = this.stops.some(({ from, to }) => from <= time && time <= to);
    return this.servesSince <= time && time < this.killedAt && !isStopped;
  }

  async serve(): Promise<void> {
    if (!this.#child.messages.some((message) => has(message, "ready"))) {
      await this.#child.next((message): message is object => has(message, "ready"));
    }
    const serving = this.#child.next((message): message is object => has(message, "serving"));
    this.#order({ serve: true });
    await serving;
    this.servesSince = Date.now();
  }

  async kill(): Promise<void> {
    this.killedAt = Date.now();
    await this.#child.kill();
  }

  async freeze(): Promise<void> {
    this.stops.push({ from: Date.now(), to: Infinity });
    await this.#child.freeze();
  }

  async thaw(): Promise<void> {
    const stop = this.stops.at(-1);
    if (stop !== undefined) stop.to = Date.now();
    await this.#child.thaw();
  }

  /** Lets it block its event loop. Resolves when it goes on. */
  async block(blockMs: number): Promise<void> {
    const unblocked = this.#child.next((message): message is object => has(message, "unblocked"));
    this.#order({ blockMs });
    await unblocked;
  }

  async close(): Promise<void> {
    await this.#child.close();
  }

  #order(order: NodeOrder): void {
    this.#child.send(order);
  }
}

function has(message: unknown, name: string): boolean {
  return typeof message === "object" && message !== null && name in message;
}
