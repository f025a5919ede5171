import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { CallsFile } from "./forms-setup.ts";
import { answer } from "./interpret-steps.ts";

/** The parts that all clients of a trial share. */
export type FormsPlace = {
  /** Returns the address of a process of the service, which may be dead at the moment. */
  readonly url: () => string;
  readonly random: () => number;
  readonly calls: CallsFile;
  /** Ends all clients. */
  readonly signal: AbortSignal;
};

type Wait = { waitId: string; kind: string; about: { event?: string; idempotencyKey?: string } };

/** A run as `GET /runs/:id` shows it. */
export type FormsRun = { status: string; waits?: Wait[]; output?: { state?: unknown }; error?: { code?: string } };

const pollMs = 150;

/** A client of one run: it begins the run, and answers its questions, over all deaths of the processes it talks to. */
export class FormsClient {
  readonly number: number;
  readonly faults: string[] = [];
  runId = "";
  end: FormsRun | undefined;
  /** The number of doubts that were answered. */
  doubts = 0;
  readonly #place: FormsPlace;
  readonly #key = randomUUID();
  readonly #doubted = new Set<string>();

  constructor(number: number, place: FormsPlace) {
    this.number = number;
    this.#place = place;
  }

  /** Follows the run to its end. Never rejects. */
  async follow(): Promise<void> {
    const { signal, random } = this.#place;
    while (this.end === undefined && !signal.aborted) {
      await this.#once().catch((error: unknown) => this.#note(error));
      await sleep(random() * 2 * pollMs);
    }
  }

  async #once(): Promise<void> {
    if (this.runId === "") {
      const headers = { "idempotency-key": this.#key, prefer: "respond-async" };
      const begun = await this.#ask("workflows/forms/run", { input: { number: this.number } }, headers);
      this.runId = begun?.headers.get("x-run-id") ?? "";
      return;
    }
    const run = (await (await this.#ask(`runs/${this.runId}`))?.json()) as FormsRun | undefined;
    if (run === undefined) return;
    if (["completed", "error", "cancelled"].includes(run.status)) this.end = run;
    // Some waits stay open for a while, so that processes die meanwhile.
    else for (const wait of run.waits ?? []) if (this.#place.random() < 0.4) await this.#answer(wait);
  }

  async #answer({ waitId: id, kind, about }: Wait): Promise<void> {
    const answers = `runs/${this.runId}/answers/${encodeURIComponent(id)}`;
    if (kind === "question") await this.#ask(answers, { result: answer });
    // The id of the signal is that of the wait: however often it is sent, the run takes it once.
    if (kind === "event") await this.#ask(`runs/${this.runId}/signals`, { event: about.event, data: answer, id });
    if (kind === "doubt") await this.#ask(answers, this.#doubt(id, about.idempotencyKey));
  }

  /** Answers if a call has had its effect, as the world outside says: the process that made it is gone. */
  #doubt(id: string, key: string | undefined): object {
    if (!this.#doubted.has(id)) this.doubts += 1;
    this.#doubted.add(id);
    const call = this.#place.calls.read().find((each) => each.key === key);
    return call === undefined ? { choice: "again" } : { choice: "happened", result: call.result };
  }

  /** Sends a request to one of the processes. Returns undefined if it must be sent again, or was answered before. */
  async #ask(path: string, body?: object, headers?: Record<string, string>): Promise<Response | undefined> {
    const { url, signal } = this.#place;
    const post = body && { method: "POST", headers: { "content-type": "application/json", ...headers } };
    const request = { ...post, ...(body && { body: JSON.stringify(body) }) };
    const response = await fetch(`${url()}/${path}`, { ...request, signal });
    if (response.ok) return response;
    const text = await response.text();
    // A conflict means that the answer was stored, and its reply was lost.
    if (response.status !== 409 && response.status !== 503) this.faults.push(`was answered ${response.status} ${text}`);
    return undefined;
  }

  /** Notes an error other than that of a connection: refused, reset, cut off, or given up. */
  #note(error: unknown): void {
    const isBroken = error instanceof TypeError || (error instanceof Error && error.name === "AbortError");
    if (!isBroken) this.faults.push(`failed: ${String(error)}`);
  }
}
