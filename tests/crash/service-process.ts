import { TestChild } from "@troupe-internal/fault-tools";
import type { KillPoint } from "@troupe-internal/fault-tools";
import type { ServiceOrder, ServiceSetup } from "./service-setup.ts";

/** Moments at which a service is killed: the kill points, and one while the storage writes a turn. */
export const moments = [
  "after_model",
  "after_tool",
  "before_commit",
  "within_commit",
  "after_commit",
  "before_finish",
] as const satisfies (KillPoint | "within_commit")[];

/** One of `moments`. */
export type Moment = (typeof moments)[number];

/** A service in a process of its own. */
export class ServiceProcess {
  readonly #child: TestChild;
  #url = "";
  #isAlive = true;

  private constructor(child: TestChild) {
    this.#child = child;
    void this.#noteEnd();
  }

  /** Starts a service that has not opened its storage yet. */
  static async boot(file: URL, setup: Omit<ServiceSetup, "killerThread">): Promise<ServiceProcess> {
    const killerThread = new URL("./killer-thread.ts", import.meta.url).href;
    const child = await TestChild.start(file, { args: [JSON.stringify({ ...setup, killerThread })] });
    await child.next((message): message is object => has(message, "ready"));
    return new ServiceProcess(child);
  }

  /** URL of the service, once it serves. */
  get url(): string {
    return this.#url;
  }

  /** True until the process ends. */
  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Lets the service open its storage and listen. */
  async serve(): Promise<void> {
    const said = this.#child.next((message): message is { port: number } => has(message, "port"));
    this.#order({ serve: true });
    this.#url = `http://127.0.0.1:${(await said).port}`;
  }

  /**
   * Prepares to kill the service at the n-th such moment; within a commit, after a share of its usual duration, from 0 to 1.
   * `gone` resolves when it is dead, with whether it died there.
   */
  async killAt(moment: Moment, at: { occurrence: number; share: number }): Promise<{ gone: Promise<boolean> }> {
    const { occurrence } = at;
    if (moment !== "within_commit") return { gone: this.#child.killAt(moment, occurrence).then(() => true) };
    const armed = this.#child.next((message): message is object => has(message, "armed"));
    this.#order({ killWithinCommit: at });
    await armed;
    const isHit = (): boolean => !this.#child.messages.some((message) => has(message, "committed"));
    return { gone: this.#child.exit.then(isHit) };
  }

  /** Kills the process and waits for its end. */
  async kill(): Promise<void> {
    await this.#child.kill();
  }

  /** Kills the process and its children. */
  async close(): Promise<void> {
    await this.#child.close();
  }

  async #noteEnd(): Promise<void> {
    await this.#child.exit;
    this.#isAlive = false;
  }

  #order(order: ServiceOrder): void {
    this.#child.send(order);
  }
}

function has(message: unknown, name: string): boolean {
  return typeof message === "object" && message !== null && name in message;
}
