import { ApiError } from "../api/api.ts";
import type { Api } from "../api/api.ts";
import { followRun } from "../api/follow-run.ts";
import type { RunNews } from "../api/follow-run.ts";
import { isOpenRun } from "../api/wire.ts";
import type { RunEvent, RunnableInfo, RunnableKind } from "../api/wire.ts";
import { Store } from "../ui/store.ts";
import type { OpenRun, OpenRuns } from "./open-runs.ts";
import { reduceTurn, restartTurn, withoutWait } from "./reduce-turn.ts";
import { fromStoredTurn } from "./stored-turn.ts";
import { isOpen, newTurn } from "./turn.ts";
import type { Question, Turn } from "./turn.ts";

/** What is shown of the conversation. */
export type ConversationState = {
  /** Missing in a conversation without a run. */
  readonly sessionId?: string | undefined;
  readonly turns: readonly Turn[];
  readonly isLoading: boolean;
  /** A sentence on what failed, other than a run. */
  readonly failure?: string | undefined;
};

/** What the conversation tells the rest of the page. */
export type ConversationListener = {
  /** A session has begun with this question. */
  begun(sessionId: string, title: string): void;
  /** A run is over: titles and order of the sessions may have changed. */
  over(turn: Turn): void;
};

/** Milliseconds between two changes of the page while an answer arrives. */
const batchMs = 40;

/** The conversation of one session: its turns, and the run under way. */
export class Conversation extends Store<ConversationState> {
  readonly #api: Api;
  readonly #openRuns: OpenRuns;
  readonly #listener: ConversationListener;
  #runnables: readonly RunnableInfo[] = [];
  /** Ends the page's following of the run under way, which goes on. */
  #following = new AbortController();
  #queue: RunEvent[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The turn whose run is to be stopped once its id is known. */
  #stopped: string | undefined;

  constructor(api: Api, openRuns: OpenRuns, listener: ConversationListener) {
    super({ turns: [], isLoading: false });
    this.#api = api;
    this.#openRuns = openRuns;
    this.#listener = listener;
  }

  /** Tells the names by which turns were run. */
  know(runnables: readonly RunnableInfo[]): void {
    this.#runnables = runnables;
  }

  /** Begins a conversation without a session. */
  clear(): void {
    this.#leave();
    this.set({ sessionId: undefined, turns: [], isLoading: false, failure: undefined });
  }

  /** Shows the conversation of a session, and follows its run if one is under way. */
  async open(sessionId: string): Promise<void> {
    this.#leave();
    const { signal } = this.#following;
    this.set({ sessionId, turns: [], isLoading: true, failure: undefined });
    try {
      const [stored, run] = await Promise.all([this.#readTurns(sessionId), this.#findRun(sessionId)]);
      if (signal.aborted) return;
      const isStored = stored.some(({ runId }) => runId === run?.runId);
      if (run !== undefined && isStored) this.#openRuns.remove(run.runId);
      this.set({ turns: stored, isLoading: false });
      if (run !== undefined && !isStored) await this.#followAgain(run);
    } catch (error) {
      if (!signal.aborted) this.set({ isLoading: false, failure: (error as Error).message });
    }
  }

  /** Sends a question, and shows the answer as it comes. */
  async send({ kind, name }: { kind: RunnableKind; name: string }, question: Question): Promise<void> {
    const turn = newTurn({ key: randomKey(), kind, name, question, startedAt: performance.now() });
    this.set({ turns: [...this.state.turns, turn], failure: undefined });
    const { sessionId } = this.state;
    const { signal } = this.#following;
    await this.#follow(turn.key, async () => {
      const files = await Promise.all(question.files.map(async (file) => await fetchFile(file, signal)));
      const { text } = question;
      return await this.#api.start({ kind, name, text, files, sessionId }, randomKey(), signal);
    });
  }

  /** Deletes a turn and those behind it, and asks its question again, in other words where they are given. */
  async regenerate(key: string, text?: string): Promise<void> {
    const { turns, sessionId } = this.state;
    const index = turns.findIndex((turn) => turn.key === key);
    const turn = turns[index];
    if (turn === undefined || turns.some(isOpen)) return;
    const { signal } = this.#following;
    try {
      // The files of the turn are read before it is deleted.
      const files = await Promise.all(
        turn.question.files.map(async (each) => {
          const file = await fetchFile(each, signal);
          return { name: each.name, type: each.type, file };
        }),
      );
      const from = turns.slice(index).find(({ seq }) => seq !== undefined)?.seq;
      if (from !== undefined && sessionId !== undefined) await this.#api.removeTurns(sessionId, from);
      this.set({ turns: turns.slice(0, index) });
      await this.send(turn, { text: text ?? turn.question.text, files: files });
    } catch (error) {
      this.set({ failure: (error as Error).message });
    }
  }

  /** Stops the run under way, as soon as its id is known. What came so far stays. */
  async stop(): Promise<void> {
    const turn = this.state.turns.find(isOpen);
    if (turn?.runId !== undefined) return await this.#cancel(turn.runId);
    this.#stopped = turn?.key;
  }

  async #cancel(runId: string): Promise<void> {
    try {
      await this.#api.cancel(runId);
    } catch (error) {
      this.set({ failure: (error as Error).message });
    }
  }

  /** Answers a question that a run waits for. */
  async answer(turn: Turn, waitId: string, answer: object): Promise<void> {
    if (turn.runId === undefined) return;
    await this.#api.answer(turn.runId, waitId, answer);
    this.#flush(turn.key);
    this.#change(turn.key, (current) => withoutWait(current, waitId));
  }

  /** Forgets the sentence on what failed. */
  dismiss(): void {
    this.set({ failure: undefined });
  }

  #leave(): void {
    this.#following.abort();
    this.#following = new AbortController();
    this.#queue = [];
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #readTurns(sessionId: string, behind = 0): Promise<Turn[]> {
    const stored = await this.#api.turns(sessionId, behind);
    const kindOf = (name: string) => this.#runnables.find((each) => each.name === name)?.kind ?? "agent";
    const urlOf = (seq: number, index: number) => this.#api.partUrl(sessionId, seq, index);
    return stored.map((turn) => fromStoredTurn(turn, { kindOf, urlOf }));
  }

  /** Finds the run of a session that is under way: one of this tab, or one that the service lists. */
  async #findRun(sessionId: string): Promise<OpenRun | undefined> {
    const known = this.#openRuns.find(sessionId);
    if (known !== undefined) return known;
    const runs = await this.#api.runs().catch(() => []);
    const run = runs.find((each) => each.sessionId === sessionId && isOpenRun(each.status));
    return run && { ...run, text: "", files: [] };
  }

  async #followAgain({ runId, kind, name, text, files }: OpenRun): Promise<void> {
    const turn = { ...newTurn({ key: runId, kind, name, question: { text, files } }), runId };
    this.set({ turns: [...this.state.turns, turn] });
    const { signal } = this.#following;
    await this.#follow(turn.key, async () => await this.#api.events(runId, undefined, signal));
  }

  async #follow(key: string, open: () => Promise<Response>): Promise<void> {
    const { signal } = this.#following;
    try {
      for await (const news of followRun({ open, api: this.#api, signal })) {
        if (signal.aborted) return;
        this.#hear(key, news);
      }
      if (!signal.aborted) await this.#end(key);
    } catch (error) {
      if (!signal.aborted) await this.#fail(key, error as Error);
    }
  }

  #hear(key: string, news: RunNews): void {
    if (news.type === "event") {
      this.#queue.push(news.event);
      this.#timer ??= setTimeout(() => this.#flush(key), batchMs);
      return;
    }
    this.#flush(key);
    if (news.type === "begun") this.#begin(key, news.runId, news.sessionId);
    if (news.type === "restart") this.#change(key, restartTurn);
    if (news.type === "broken") this.#change(key, (turn) => ({ ...turn, isBroken: true }));
  }

  #begin(key: string, runId: string, sessionId: string): void {
    this.#change(key, (turn) => ({ ...turn, runId }));
    if (this.#stopped === key) void this.#cancel(runId);
    const turn = this.state.turns.find((each) => each.key === key);
    if (turn === undefined || sessionId === "") return;
    const { kind, name, question } = turn;
    const files = question.files.map(({ name: file, type }) => ({ name: file, type }));
    this.#openRuns.add({ runId, sessionId, kind, name, text: question.text, files });
    if (this.state.sessionId === sessionId) return;
    this.set({ sessionId });
    this.#listener.begun(sessionId, question.text || name);
  }

  #flush(key: string): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const events = this.#queue;
    this.#queue = [];
    if (events.length === 0) return;
    const now = performance.now();
    this.#change(key, (turn) => {
      const { isBroken: _, ...reached } = turn;
      return events.reduce<Turn>((current, event) => reduceTurn(current, event, now), reached);
    });
  }

  /** Learns under which number the turn is stored, so that it can be deleted. */
  async #end(key: string): Promise<void> {
    this.#flush(key);
    const turn = this.state.turns.find((each) => each.key === key);
    if (turn === undefined) return;
    this.#openRuns.remove(turn.runId ?? "");
    if (isOpen(turn)) this.#change(key, (current) => ({ ...current, status: "interrupted" }));
    this.#listener.over(turn);
    const stored = await this.#findStored(turn);
    if (stored?.seq !== undefined) this.#change(key, (current) => ({ ...current, seq: stored.seq as number }));
  }

  async #findStored({ runId }: Turn): Promise<Turn | undefined> {
    const { sessionId, turns } = this.state;
    if (sessionId === undefined) return undefined;
    const behind = turns.findLast(({ seq }) => seq !== undefined)?.seq;
    const stored = await this.#readTurns(sessionId, behind).catch(() => []);
    return stored.find((each) => each.runId === runId);
  }

  async #fail(key: string, error: Error): Promise<void> {
    this.#flush(key);
    const turn = this.state.turns.find((each) => each.key === key);
    if (turn === undefined) return;
    this.#openRuns.remove(turn.runId ?? "");
    // The events are gone, but the turn may be there.
    const stored = turn.runId === undefined ? undefined : await this.#findStored(turn);
    const code = error instanceof ApiError ? error.code : "unknown";
    const failed: Turn = { ...turn, status: "failed", failure: { code, message: error.message } };
    this.#change(key, () => stored ?? failed);
    this.#listener.over(turn);
  }

  #change(key: string, change: (turn: Turn) => Turn): void {
    this.set({ turns: this.state.turns.map((turn) => (turn.key === key ? change(turn) : turn)) });
  }
}

async function fetchFile({ file, url, name, type }: Question["files"][number], signal: AbortSignal): Promise<File> {
  if (file !== undefined) return file;
  if (url === undefined) throw new Error(`The file ${name} is not there any more. Attach it again.`);
  const response = await fetch(url, { signal });
  if (!response.ok) throw new Error(`The file ${name} could not be read from the service.`);
  return new File([await response.blob()], name, { type });
}

/** Returns a key that no one guesses. `randomUUID` is missing on pages without HTTPS. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
