import { followRun, mayPass } from "@troupe-internal/client";
import type { ApiError, FollowOptions, RunnableInfo, RunnableKind, RunUpdate } from "@troupe-internal/client";
import { Store } from "../ui/store.ts";
import type { ConversationApi, ConversationListener, ConversationState, TabMemory } from "./conversation-state.ts";
import { endTurn } from "./end-turn.ts";
import { EventBatch } from "./event-batch.ts";
import { findOpenRun, isOfWorkflows } from "./open-runs.ts";
import type { OpenRun } from "./open-runs.ts";
import { readFiles } from "./question-files.ts";
import { randomKey } from "./random-key.ts";
import { reduceEvents, restartTurn, withoutWait } from "./reduce-turn.ts";
import { readTurns, storedFrom } from "./stored-turn.ts";
import type { StoredTurnView } from "./stored-turn.ts";
import { isUnderWay, newTurn, withQuestionText } from "./turn.ts";
import type { Question, Turn } from "./turn.ts";
import { strings } from "../strings/strings.ts";

/** The maximum number of attempts to send a question if the connection breaks before the service has answered. */
const mostSent = 4;

/** The conversation of one session: its turns, and its active run. */
export class Conversation extends Store<ConversationState> {
  readonly #api: ConversationApi;
  readonly #memory: TabMemory;
  readonly #listener: ConversationListener;
  #runnables: readonly RunnableInfo[] = [];
  /** Aborts when another conversation is shown. The run itself continues. */
  #leaving = new AbortController();
  #batch: EventBatch | undefined;
  /** The key of the turn whose run must be stopped once the run's id is known. */
  #stopped: string | undefined;

  constructor(api: ConversationApi, memory: TabMemory, listener: ConversationListener) {
    super({ number: 0, turns: [], isLoading: false, isReplacing: false });
    this.#api = api;
    this.#memory = memory;
    this.#listener = listener;
  }

  /** Sets the agents, teams and workflows that can be asked. */
  setRunnables(runnables: readonly RunnableInfo[]): void {
    this.#runnables = runnables;
  }

  /** Starts a conversation without a session. */
  clear(): void {
    this.#show(undefined);
  }

  /** Shows the conversation of a session, and follows its active run, if any. */
  async open(sessionId: string): Promise<void> {
    const signal = this.#show(sessionId);
    try {
      const { openRuns, keptTurns } = this.#memory;
      const [stored, run] = await Promise.all([
        isOfWorkflows(sessionId, this.#memory) ? undefined : readTurns(this.#api, sessionId, { kindOf: this.#kindOf }),
        findOpenRun(sessionId, openRuns, this.#api),
      ]);
      if (signal.aborted) return;
      const turns = keptTurns.addTo(sessionId, stored ?? []);
      this.set({ turns, isLoading: false });
      if (run !== undefined) return await this.#followAgain(run, signal);
      if (stored !== undefined || turns.length > 0) return;
      this.#dropSession();
      this.set({ failure: strings.conversation.notStored });
    } catch (error) {
      if (!signal.aborted) this.set({ isLoading: false, failure: (error as Error).message });
    }
  }

  /** Sends a question, and shows the answer as it arrives. Does nothing while a run is active or a turn is replaced. */
  async send({ kind, name }: Pick<RunnableInfo, "kind" | "name">, question: Question): Promise<void> {
    if (this.#isBusy) return;
    const turn = newTurn({ key: randomKey(), kind, name, question, startedAt: performance.now() });
    this.set({ turns: [...this.state.turns, turn], failure: undefined });
    await this.#start(turn, this.state.sessionId, this.#leaving.signal);
  }

  /** Deletes a turn and all later turns, and asks its question again, with the new text if given. */
  async regenerate(key: string, text?: string): Promise<void> {
    const { turns, sessionId } = this.state;
    const old = turns.find((turn) => turn.key === key);
    if (old === undefined || this.#isBusy) return;
    const { signal } = this.#leaving;
    this.set({ isReplacing: true, failure: undefined });
    try {
      const question = await this.#deleteFrom(old, signal);
      if (question === undefined) return;
      const { kind, name } = old;
      const asked = text === undefined ? question : withQuestionText(question, text);
      const turn = newTurn({ key: randomKey(), kind, name, question: asked, startedAt: performance.now() });
      if (!signal.aborted) {
        this.set({ turns: [...turns.slice(0, turns.indexOf(old)), turn], isReplacing: false });
        this.#keep();
      }
      // The question is asked even if another conversation was shown in the meantime, because its old turn is already
      // deleted.
      await this.#start(turn, sessionId, signal);
    } catch (error) {
      if (!signal.aborted) this.set({ isReplacing: false, failure: (error as Error).message });
    }
  }

  /**
   * Stops the active run as soon as its id is known. The service stores the partial answer only if a tool was called.
   */
  async stop(): Promise<void> {
    const turn = this.state.turns.find(isUnderWay);
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

  /** Answers a question of a turn's run. */
  async answer(key: string, waitId: string, answer: object): Promise<void> {
    const runId = this.state.turns.find((turn) => turn.key === key)?.runId;
    if (runId === undefined) return;
    const { signal } = this.#leaving;
    await this.#api.answer(runId, waitId, answer);
    if (signal.aborted) return;
    this.#batch?.flush();
    this.#change(key, (current) => withoutWait(current, waitId));
  }

  /** Removes the shown sentence about a failure. */
  dismiss(): void {
    this.set({ failure: undefined });
  }

  readonly #kindOf = (name: string): RunnableKind =>
    this.#runnables.find((each) => each.name === name)?.kind ?? "agent";

  get #isBusy(): boolean {
    return this.state.isReplacing || this.state.turns.some(isUnderWay);
  }

  /** Replaces the shown conversation, and returns the signal that aborts when the new conversation is replaced. */
  #show(sessionId: string | undefined): AbortSignal {
    this.#leaving.abort();
    this.#leaving = new AbortController();
    this.#batch?.drop();
    const number = this.state.number + 1;
    const isLoading = sessionId !== undefined;
    this.set({ sessionId, number, turns: [], isLoading, isReplacing: false, failure: undefined });
    return this.#leaving.signal;
  }

  /** Reads a turn of the conversation and all later turns from the service. */
  async #readFrom(key: string): Promise<StoredTurnView[] | undefined> {
    const { turns, sessionId } = this.state;
    // The service stores no session for workflows alone, and a browser would report its 404 answer as an error.
    if (sessionId === undefined || turns.every(({ kind, seq }) => kind === "workflow" && seq === undefined))
      return undefined;
    const index = turns.findIndex((turn) => turn.key === key);
    const behind = turns.slice(0, index).findLast(({ seq }) => seq !== undefined)?.seq;
    return await readTurns(this.#api, sessionId, { kindOf: this.#kindOf, behind });
  }

  /**
   * Deletes a turn and all later turns from the service, and returns its question with its files. Throws before
   * deleting if the question cannot be asked again. Returns undefined if another conversation was shown before that.
   */
  async #deleteFrom(turn: Turn, signal: AbortSignal): Promise<Question | undefined> {
    const { turns, sessionId } = this.state;
    const { kind, name, runId } = turn;
    if (!this.#runnables.some((each) => each.kind === kind && each.name === name))
      throw new Error(strings.conversation.goneRunnable(name));
    const stored = (await this.#readFrom(turn.key)) ?? [];
    const { question } = stored.find((each) => each.runId === runId) ?? turn;
    if (question.isPartial === true) throw new Error(strings.conversation.partial);
    const files = (await readFiles(question.files)).map((file) => ({ name: file.name, type: file.type, file }));
    if (signal.aborted) return undefined;
    const [first] = storedFrom(turn, turns, stored);
    if (first !== undefined && sessionId !== undefined) await this.#api.removeTurns(sessionId, first.seq);
    return { ...question, files };
  }

  /** Starts the run of a turn, and follows it. */
  async #start(turn: Turn, sessionId: string | undefined, signal: AbortSignal): Promise<void> {
    const { kind, name, question } = turn;
    const key = randomKey();
    const open = async () => {
      const files = await readFiles(question.files);
      const { text, fields } = question;
      const response = await this.#api.start({ kind, name, text, fields, files, sessionId }, key);
      this.#noteBegun(turn, sessionId, response.headers);
      return response;
    };
    // A question that has reached the service does not start another run, because the key identifies it.
    const mayReopen = ({ status }: ApiError, failures: number) => status === 0 && failures + 1 < mostSent;
    await this.#follow(turn.key, { open, mayReopen, signal });
  }

  /** Follows a run that was active when the conversation was opened, unless its turn has been stored since. */
  async #followAgain({ runId, kind, name, ...question }: OpenRun, signal: AbortSignal): Promise<void> {
    if (this.state.turns.some((turn) => turn.runId === runId)) return this.#memory.openRuns.remove(runId);
    const turn = { ...newTurn({ key: runId, kind, name, question }), runId };
    this.set({ turns: [...this.state.turns, turn] });
    const open = async () => await this.#api.events(runId, undefined, signal);
    await this.#follow(turn.key, { open, mayReopen: mayPass, signal });
  }

  /**
   * Records that the run of a turn has started, even if its conversation is no longer shown. Stops the run if the user
   * asked for that.
   */
  #noteBegun({ key, kind, name, question }: Turn, asked: string | undefined, headers: Headers): void {
    const [runId, sessionId] = [headers.get("x-run-id") ?? "", headers.get("x-session-id") ?? ""];
    if (this.#stopped === key) void this.#cancel(runId);
    if (sessionId === "") return;
    const files = question.files.map(({ name: file, type }) => ({ name: file, type }));
    const isFirst = asked === undefined;
    this.#memory.openRuns.add({ runId, sessionId, kind, name, ...question, files, ...(isFirst && { isFirst }) });
    if (asked !== sessionId) this.#listener.begun(sessionId, question.text || name);
  }

  async #follow(key: string, { signal, ...run }: Omit<FollowOptions, "api">): Promise<void> {
    const batch = new EventBatch((events) => this.#change(key, (turn) => reduceEvents(turn, events)));
    if (!signal.aborted) this.#batch = batch;
    try {
      for await (const update of followRun({ ...run, api: this.#api, signal })) {
        if (!signal.aborted) this.#take(key, update, batch);
      }
      if (signal.aborted) return;
      batch.flush();
      await this.#end(key, signal);
    } catch (error) {
      if (signal.aborted) return;
      batch.flush();
      await this.#end(key, signal, error as Error);
    }
  }

  #take(key: string, update: RunUpdate, batch: EventBatch): void {
    if (update.type === "event") return batch.add(update.event);
    batch.flush();
    if (update.type === "begun") this.#begin(key, update.runId, update.sessionId);
    if (update.type === "restart") this.#change(key, restartTurn);
    if (update.type === "broken") this.#change(key, (turn) => ({ ...turn, isBroken: true }));
  }

  #begin(key: string, runId: string, sessionId: string): void {
    this.#change(key, (turn) => ({ ...turn, runId }));
    if (sessionId === "" || this.state.sessionId === sessionId) return;
    this.set({ sessionId });
    this.#listener.moved(sessionId);
  }

  /** Ends a turn whose events are complete, or could not be read to their end. */
  async #end(key: string, signal: AbortSignal, error?: Error): Promise<void> {
    const turn = this.state.turns.find((each) => each.key === key);
    if (turn === undefined) return;
    if (error === undefined) this.#change(key, (current) => endTurn(current, {}));
    const read = await this.#readEnded(turn).catch(() => "unknown" as const);
    if (!signal.aborted) {
      const stored = read === "unknown" ? undefined : (read?.find(({ runId }) => runId === turn.runId) ?? null);
      this.#change(key, (current) => endTurn(current, { stored, error }));
      this.#keep();
    }
    this.#memory.openRuns.remove(turn.runId ?? "");
    this.#listener.over();
    if (!signal.aborted && read === undefined) this.#dropSession();
  }

  /** Copies the turns that the service has not stored to the storage of the browser tab. */
  #keep(): void {
    const { sessionId, turns } = this.state;
    if (sessionId !== undefined) this.#memory.keptTurns.keep(sessionId, turns);
  }

  /** Reads the stored form of a finished turn. Turns of workflows are never stored, and have no session. */
  async #readEnded({ key, kind }: Turn): Promise<StoredTurnView[] | undefined> {
    if (kind !== "workflow") return await this.#readFrom(key);
    return this.state.turns.some(({ seq }) => seq !== undefined) ? [] : undefined;
  }

  /** Forgets the id of a session of which nothing is left, so that the next question starts another session. */
  #dropSession(): void {
    const { sessionId } = this.state;
    if (sessionId === undefined || this.#isBusy || this.#memory.keptTurns.addTo(sessionId, []).length > 0) return;
    this.set({ sessionId: undefined });
    this.#listener.moved(undefined);
  }

  #change(key: string, change: (turn: Turn) => Turn): void {
    this.set({ turns: this.state.turns.map((turn) => (turn.key === key ? change(turn) : turn)) });
  }
}
