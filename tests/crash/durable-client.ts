import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { resultOf } from "./durable-setup.ts";
import { readEvents } from "./read-events.ts";
import type { EventData, StreamEvent } from "./read-events.ts";

/** A question to an agent, and the text that it answers. */
export type Question = {
  readonly agent: string;
  /** True for a team with this name. @default an agent */
  readonly isTeam?: boolean;
  readonly input: string;
  readonly answer: string;
  readonly sessionId?: string;
  /** False for a client that begins its run without an idempotency key. @default true */
  readonly hasKey?: boolean;
  /** The number of events after which the client cancels the run. @default never */
  readonly cancelAfter?: number;
};

/** The parts that the clients of a trial share: the service, its tools' effects, chance, and what is counted. */
export type Surroundings = {
  /** The address of the service, or of one of its nodes: another one each time. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly random: () => number;
  readonly counts: { reconnects: number; resets: number; doubts: number; interrupted: number };
  /** Returns the answer to a wait of a run, if there is one. */
  answerTo(wait: EventData): object | undefined;
  /** Returns true if the service may refuse a request so, and is asked again. @default never */
  mayRefuse?(status: number, code: string | undefined): boolean;
  /** Ends all clients. */
  readonly signal?: AbortSignal;
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
  #eventCount = 0;
  #isCancelling = false;
  /** True when all events have come. */
  #isRead = false;

  constructor(question: Question, isWhole: boolean, around: Surroundings) {
    this.question = question;
    this.#isWhole = isWhole;
    this.#around = around;
  }

  /** Follows the run to its end, and judges what came. */
  async follow(): Promise<this> {
    while (this.end === undefined && this.#around.signal?.aborted !== true) {
      try {
        await this.#readOnce();
        if (this.#isRead) await this.#look();
      } catch (error) {
        if (!isBroken(error)) throw error;
      }
      this.isReading = false;
      if (this.end === undefined) await sleep(this.#around.random() * 40);
    }
    if (this.end === undefined) this.faults.push("has not seen its end");
    else this.#judge(this.end);
    return this;
  }

  async #readOnce(): Promise<void> {
    const leaving = new AbortController();
    const { signal } = this.#around;
    const response = await this.#connect(
      signal === undefined ? leaving.signal : AbortSignal.any([leaving.signal, signal]),
    );
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
    const headers = { ...this.#around.headers, ...(this.#last !== undefined && { "last-event-id": this.#last }) };
    const readsAll = this.#isWhole || this.#isInterrupted;
    if (this.runId !== "" && (readsAll || this.question.hasKey === false)) {
      return await fetch(`${url}/runs/${this.runId}/events${readsAll ? "?events=all" : ""}`, { headers, signal });
    }
    return await fetch(`${url}/${this.#path}`, { ...this.#request(headers), signal });
  }

  /** The path of the request that begins the run. */
  get #path(): string {
    const { agent, isTeam = false } = this.question;
    return `${isTeam ? "teams" : "agents"}/${agent}/${this.#isWhole ? "run" : "stream"}`;
  }

  /** The request that begins the run, or finds it again by its key. */
  #request(given: Record<string, string>): RequestInit {
    const { input, sessionId, hasKey = true } = this.question;
    const headers = {
      ...json,
      ...given,
      ...(hasKey && { "idempotency-key": this.#key }),
      ...(this.#isWhole && { prefer: "respond-async" }),
    };
    return { method: "POST", headers, body: JSON.stringify({ input, sessionId }) };
  }

  async #take({ id, data }: StreamEvent): Promise<void> {
    if (this.#last !== undefined && !isAfter(id, this.#last)) {
      this.faults.push(`got event ${id} after ${this.#last}`);
    }
    this.#last = id;
    this.#eventCount += 1;
    if (this.#eventCount === this.question.cancelAfter) await this.#cancel();
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
      this.#around.counts.interrupted += this.#isInterrupted ? 0 : 1;
      this.#isInterrupted = true;
      return;
    }
    if (status === 200 || this.#isEnd(error?.code)) this.#isRead = true;
    else this.#refuse(status, error?.code);
  }

  #isEnd(code: string | undefined): boolean {
    return code === "crashed" || (code === "cancelled" && this.#isCancelling);
  }

  #refuse(status: number, code: string | undefined): void {
    if (this.#around.mayRefuse?.(status, code) !== true) this.faults.push(`was answered ${status} (${code})`);
  }

  async #answer(data: EventData): Promise<void> {
    const { waitId = "", kind } = data;
    const answer = this.#around.answerTo(data);
    if (answer === undefined) return void this.faults.push(`was asked for ${kind}`);
    if (kind === "doubt") this.#around.counts.doubts += 1;
    await this.#tell(`answers/${encodeURIComponent(waitId)}`, answer);
  }

  async #cancel(): Promise<void> {
    this.#isCancelling = true;
    await this.#tell("cancel", {});
  }

  /** Sends the run an answer until it takes one. A conflict means that another connection of the client has sent it. */
  async #tell(path: string, body: object): Promise<void> {
    const headers = { ...json, ...this.#around.headers };
    while (this.#around.signal?.aborted !== true) {
      try {
        const { url } = this.#around;
        const request = { method: "POST", headers, body: JSON.stringify(body) };
        const { status } = await fetch(`${url}/runs/${this.runId}/${path}`, request);
        if (status !== 503) return;
      } catch (error) {
        if (!isBroken(error)) throw error;
      }
      await sleep(20);
    }
  }

  async #look(): Promise<void> {
    const response = await fetch(`${this.#around.url}/runs/${this.runId}`, { headers: this.#around.headers ?? {} });
    if (!response.ok) return this.#takeError(response.status, (await response.json()) as EventData);
    const run = (await response.json()) as ShownRun;
    if (["completed", "error", "cancelled"].includes(run.status)) this.end = run;
  }

  #judge({ status, output, error }: ShownRun): void {
    if (status === "completed") return this.#judgeText(output?.text);
    // Three attempts in a row that were killed before they had done anything.
    const mayBe = status === "cancelled" ? this.#isCancelling : error?.code === "crashed";
    if (!mayBe) this.faults.push(`ended as ${status} (${error?.code})`);
  }

  #judgeText(text: string | undefined): void {
    const { answer: expected } = this.question;
    if (text !== expected) this.faults.push(`has the answer ${JSON.stringify(text)}`);
    const read = [...this.#texts.values()].join("");
    if (!this.#isInterrupted && read !== expected) this.faults.push(`read ${JSON.stringify(read)}`);
  }
}

/**
 * Answers if a call has had its effect, as the world outside says: the process that made it is gone. The effect of a remote
 * member is known by its task.
 */
export function answerDoubt({ kind, about }: EventData, hasEffect: (key: string) => boolean): object | undefined {
  if (kind !== "doubt") return undefined;
  const key = about?.args?.input ?? about?.idempotencyKey ?? "";
  return hasEffect(key) ? { choice: "happened", result: resultOf(key) } : { choice: "again" };
}

/** Returns true if an error is that of a connection: refused, reset, cut off, or left by the client itself. */
function isBroken(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof Error && error.name === "AbortError");
}

function isAfter(id: string, before: string): boolean {
  const [[number = 0, index = 0], [lastNumber = 0, lastIndex = 0]] = [id, before].map((each) =>
    each.split(".").map(Number),
  ) as [number[], number[]];
  return number > lastNumber || (number === lastNumber && index > lastIndex);
}
