import { setTimeout as sleep } from "node:timers/promises";
import { TestChild } from "@troupe-internal/fault-tools";
import { onTestFinished } from "vitest";
import type { StorageAddress } from "./open-storage.ts";

/** End of one question. */
export type Outcome = { answered: string; text: string } | { failed: string; code: string; message: string };

/** A service process that answers questions. It ends with its test. */
export class AgentProcess {
  readonly #child: TestChild;

  private constructor(child: TestChild) {
    this.#child = child;
  }

  static async start({ kind, address }: StorageAddress): Promise<AgentProcess> {
    const child = await TestChild.start(new URL("./agent-child.ts", import.meta.url), { args: [kind, address] });
    const agent = new AgentProcess(child);
    onTestFinished(async () => await agent.#end());
    await child.next((message): message is object => has(message, "ready"));
    return agent;
  }

  /** Asks, and waits for the end of the run. */
  async ask(question: string, sessionId: string): Promise<Outcome> {
    const isOutcome = (message: unknown): message is Outcome =>
      has(message, "answered", question) || has(message, "failed", question);
    const outcome = this.#child.next(isOutcome);
    this.#child.send({ ask: question, sessionId });
    return await outcome;
  }

  /** Accepts a durable run, and performs it. */
  accept(question: string, sessionId: string): void {
    this.#child.send({ accept: question, sessionId });
  }

  /** Performs the durable runs that are not over, and resolves with the text of the next that ends. */
  async serve(): Promise<string> {
    const ended = this.#child.next((message): message is { text: string } => has(message, "ended"));
    this.#child.send({ serve: true });
    return (await ended).text;
  }

  /** Resolves when the next run calls its tool. */
  async isWaiting(): Promise<void> {
    await this.#child.next((message): message is object => has(message, "waits"));
  }

  /** Lets waiting runs go on. */
  goOn(): void {
    this.#child.send({ goOn: true });
  }

  async freeze(): Promise<void> {
    await this.#child.freeze();
  }

  async thaw(): Promise<void> {
    await this.#child.thaw();
  }

  async kill(): Promise<void> {
    await this.#child.kill();
  }

  /** Closes its storage, and ends. */
  async close(): Promise<void> {
    this.#child.send({ close: true });
    await this.#child.exit;
  }

  /** Ends the process in order, so that it releases its sessions, and by force when it does not end. */
  async #end(): Promise<void> {
    await Promise.race([this.close(), sleep(3000, undefined, { ref: false })]);
    await this.#child.close();
  }
}

function has(message: unknown, name: string, value?: unknown): boolean {
  if (typeof message !== "object" || message === null || !(name in message)) return false;
  return value === undefined || (message as Record<string, unknown>)[name] === value;
}
