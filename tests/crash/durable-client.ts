import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { resultOf } from "./durable-setup.ts";
import { readEvents } from "./read-events.ts";
import type { EventData, StreamEvent } from "./read-events.ts";

/** A question to an agent, and the text that it answers. */
export type Question = { readonly agent: string; readonly input: string; readonly answer: string };

/** What the clients of a trial share: the service, the file of effects, chance, and what is counted. */
export type Surroundings = {
  readonly url: string;
  readonly effects: string;
  readonly random: () => number;
  readonly counts: { reconnects: number; resets: number; doubts: number; interrupted: number };
};

/** A run as `GET /runs/:id` shows it. */
type ShownRun = {
  status: string;
  output?: { text?: string; toolCalls?: { result?: unknown }[] };
  error?: { code?: string };
};

const json = { "content-type": "application/json" };

/**
 * A client of one durable run, which it begins with an idempotency key and follows to its end over all breaks of its
 * connection, some of which it makes itself. A `whole` client reads the events of the journal too; another one streams plainly
 * and repeats its request.
 */
export class DurableClient {
  readonly question: Question;
  readonly faults: string[] = [];
  runId = "";
  /** True while it reads text of an answer that is not whole. */
  isReading = false;
  end: ShownRun | undefined;
  readonly #isWhole: boolean;
  readonly #around: Surroundings;
  readonly #key = randomUUID();
  readonly #texts = new Map<string, string>();
  #last: string | undefined;
  #isInterrupted = false;
  /** True when all events have come. */
  #isRead = false;

  constructor(question: Question, isWhole: boolean, around: Surroundings) {
    this.question = question;
    this.#isWhole = isWhole;
    this.#around = around;
  }

  /** Follows the run to its end, and judges what came. */
  async follow(): Promise<this> {
    while (this.end === undefined) {
      try {
        await this.#readOnce();
        if (this.#isRead) await this.#look();
      } catch (error) {
        if (!isBroken(error)) throw error;
      }
      this.isReading = false;
      if (this.end === undefined) await sleep(this.#around.random() * 40);
    }
    this.#judge(this.end);
    return this;
  }

  async #readOnce(): Promise<void> {
    const leaving = new AbortController();
    const response = await this.#connect(leaving.signal);
    this.runId = response.headers.get("x-run-id") ?? this.runId;
    if (response.status >= 400) return this.#takeError(response.status, (await response.json()) as EventData);
    // There are no more events.
    if (response.status === 204) this.#isRead = true;
    if (response.body === null || response.status !== 200) return;
    // Some leave in the midst of it.
    let left = this.#around.random() < 0.5 ? 1 + Math.floor(this.#around.random() * 40) : Infinity;
    for await (const event of readEvents(response.body)) {
      await this.#take(event);
      left -= 1;
      if (left <= 0) leaving.abort();
    }
  }

  async #connect(signal: AbortSignal): Promise<Response> {
    const { url, counts } = this.#around;
    if (this.#last !== undefined) counts.reconnects += 1;
    const headers = { ...(this.#last !== undefined && { "last-event-id": this.#last }) };
    if (this.runId !== "" && (this.#isWhole || this.#isInterrupted)) {
      return await fetch(`${url}/runs/${this.runId}/events?events=all`, { headers, signal });
    }
    const begin = { ...json, ...headers, "idempotency-key": this.#key };
    const body = JSON.stringify({ input: this.question.input });
    const prefer = { ...(this.#isWhole && { prefer: "respond-async" }) };
    const path = `${url}/agents/${this.question.agent}/${this.#isWhole ? "run" : "stream"}`;
    return await fetch(path, { method: "POST", headers: { ...begin, ...prefer }, body, signal });
  }

  async #take({ id, data }: StreamEvent): Promise<void> {
    if (this.#last !== undefined && !isAfter(id, this.#last)) {
      this.faults.push(`got event ${id} after ${this.#last}`);
    }
    this.#last = id;
    if (data.type === "text") this.#takeText(data);
    if (data.type === "reset") this.#reset(data);
    if (data.type === "wait") await this.#answer(data);
    if (data.type === "error") this.#takeError(200, data);
    if (data.type === "finish") this.#isRead = true;
  }

  #takeText({ text = "", journalStep = "" }: EventData): void {
    const step = this.#isWhole ? journalStep : "";
    this.#texts.set(step, (this.#texts.get(step) ?? "") + text);
    this.isReading = true;
  }

  #reset({ journalStep = "" }: EventData): void {
    this.#around.counts.resets += 1;
    this.#texts.delete(journalStep);
  }

  /** A failure of the run is its end, but for `interrupted`: another process has begun the text anew. */
  #takeError(status: number, { error }: Pick<EventData, "error">): void {
    if (error?.code === "interrupted") {
      if (!this.#isInterrupted) this.#around.counts.interrupted += 1;
      this.#isInterrupted = true;
    } else if (error?.code === "crashed" || status === 200) {
      this.#isRead = true;
    } else {
      this.faults.push(`was answered ${status} (${error?.code})`);
    }
  }

  /** Answers if a call has had its effect, as the file says: the process that made it is gone. */
  async #answer({ waitId = "", kind, about }: EventData): Promise<void> {
    if (kind !== "doubt") return void this.faults.push(`was asked for ${kind}`);
    const { effects, url, counts } = this.#around;
    const key = about?.idempotencyKey ?? "";
    const isThere = existsSync(effects) && readFileSync(effects, "utf8").split("\n").includes(key);
    const answer = isThere ? { choice: "happened", result: resultOf(key) } : { choice: "again" };
    counts.doubts += 1;
    await untilAnswered(async () => {
      const path = `${url}/runs/${this.runId}/answers/${encodeURIComponent(waitId)}`;
      return await fetch(path, { method: "POST", headers: json, body: JSON.stringify(answer) });
    });
  }

  async #look(): Promise<void> {
    const response = await fetch(`${this.#around.url}/runs/${this.runId}`);
    if (!response.ok) return void this.faults.push(`GET of the run answered ${response.status}`);
    const run = (await response.json()) as ShownRun;
    if (["completed", "error", "cancelled"].includes(run.status)) this.end = run;
  }

  #judge({ status, output, error }: ShownRun): void {
    if (status !== "completed") {
      // Three attempts in a row that were killed before they had done anything.
      if (error?.code !== "crashed") this.faults.push(`ended as ${status} (${error?.code})`);
      return;
    }
    const { answer: expected } = this.question;
    if (output?.text !== expected) this.faults.push(`has the answer ${JSON.stringify(output?.text)}`);
    const read = [...this.#texts.values()].join("");
    if (!this.#isInterrupted && read !== expected) this.faults.push(`read ${JSON.stringify(read)}`);
  }
}

/** Asks until there is an answer. A conflict says that another connection of the client has answered. */
async function untilAnswered(ask: () => Promise<Response>): Promise<void> {
  for (;;) {
    try {
      const { status } = await ask();
      if (status !== 503) return;
    } catch (error) {
      if (!isBroken(error)) throw error;
    }
    await sleep(20);
  }
}

/** Tells if an error is that of a connection: refused, reset, cut off, or left by the client itself. */
function isBroken(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof Error && error.name === "AbortError");
}

function isAfter(id: string, before: string): boolean {
  const [[number = 0, index = 0], [lastNumber = 0, lastIndex = 0]] = [id, before].map((each) =>
    each.split(".").map(Number),
  ) as [number[], number[]];
  return number > lastNumber || (number === lastNumber && index > lastIndex);
}
