import type { Json, RunWait } from "@troupe/core";
import type { RunEvent, RunService } from "@troupe/core/runs";
import type { DyingProcess } from "./dying-process.ts";

/** Makes the answer to a wait. */
export type Answerer = (wait: RunWait) => Json;

type Connection = { readonly service: RunService; readonly process: DyingProcess };

/**
 * A client of a run: reads its events, answers its waits, and goes on with its last position when the process that it was
 * connected to has died.
 */
export class Reader {
  readonly #runId: string;
  readonly #answerer: Answerer | undefined;
  /** The text of each step, without what was reset. */
  readonly texts = new Map<string, string>();
  readonly ids: string[] = [];
  readonly waits: RunWait[] = [];
  readonly ends: Extract<RunEvent, { type: "end" }>[] = [];
  /** The answers to the waits that the client has seen. It repeats those that no process has confirmed. */
  readonly #answers = new Map<string, { answer: Json; isConfirmed: boolean }>();

  constructor(runId: string, answerer?: Answerer) {
    this.#runId = runId;
    this.#answerer = answerer;
  }

  /** Reads until the run ends, or the process dies: false. */
  async follow({ service, process }: Connection): Promise<boolean> {
    const events = service.events(this.#runId, "host", this.ids.at(-1));
    const answering: Promise<void>[] = [];
    const failed = Promise.withResolvers<never>();
    const answer = (id: string): void => {
      const answered = this.#answer({ service, process }, id);
      answered.catch(failed.reject);
      answering.push(answered);
    };
    for (const [id, { isConfirmed }] of this.#answers) if (!isConfirmed) answer(id);
    for (;;) {
      const next = await Promise.race([process.unlessDead(events.next()), failed.promise]);
      if (next === undefined || process.isDead) return false;
      if (next.done === true) break;
      this.#read(next.value);
      if (next.value.type === "wait") answer(next.value.wait.id);
    }
    await Promise.all(answering);
    return true;
  }

  #read(event: RunEvent): void {
    this.ids.push(event.id);
    if (event.type === "reset") this.texts.delete(event.step);
    if (event.type === "end") this.ends.push(event);
    if (event.type === "wait") this.waits.push(event.wait);
    if (event.type === "wait" && this.#answerer !== undefined) {
      this.#answers.set(event.wait.id, { answer: this.#answerer(event.wait), isConfirmed: false });
    }
    if (event.type !== "chunk") return;
    const text = textOf(event.chunk);
    if (text !== "") this.texts.set(event.step, (this.texts.get(event.step) ?? "") + text);
  }

  async #answer({ service, process }: Connection, id: string): Promise<void> {
    const given = this.#answers.get(id);
    if (given === undefined) return;
    const answered = service.answer(this.#runId, id, given.answer, "host").then(() => true);
    if ((await process.unlessDead(answered)) === true) given.isConfirmed = true;
  }
}

/** Returns the text of a chunk, also of one within an event of a workflow. */
function textOf(chunk: object): string {
  const { type, text, chunk: inner } = chunk as { type?: string; text?: string; chunk?: object };
  if (inner !== undefined) return textOf(inner);
  return type === "text" ? (text ?? "") : "";
}
