import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import type { AnsweringModel } from "../../model/model-chunk.ts";
import type { VendorState } from "../../model/vendor-state.ts";
import { ownerOf } from "../run/run-options.ts";
import type { RunSettings } from "../run/run-options.ts";
import type { Run } from "../run/run.ts";
import { interruptedTurn } from "../../sessions/history/interrupted-turn.ts";
import type { UnfinishedStep } from "../../sessions/history/interrupted-turn.ts";
import type { OpenSession } from "../../sessions/session/open-session.ts";
import type { OpenOptions } from "../../sessions/session/session-access.ts";
import type { SessionStore } from "../../sessions/session/session-store.ts";
import { toTurnVendorStates } from "../../sessions/session/turn-vendor-state.ts";
import type { TurnVendorState } from "../../sessions/session/turn-vendor-state.ts";
import type { NewTurn } from "../../sessions/session/turn-record.ts";
import { toTurnMessages } from "../../sessions/session/turn-arguments.ts";
import { toTurnToolResults } from "../../sessions/session/turn-tool-result.ts";

/** The key of the step that stores the turn of a child run whose session lasts only as long as its parent run. */
export const turnStep = "s/turn";

/** The value of the step `turnStep`: the session, and the turn that was appended to it. */
export type MemberTurn = { readonly sessionId: string; readonly turn: NewTurn };

/** The number of newest turns in which a durable run searches for a turn that an earlier process stored for it. */
const turnsToSearch = 50;

/**
 * The session of one run of an agent or a team. Waits for the session's lease and opens the session, stores the turn at
 * the end, and releases the lease.
 */
export class RunSession {
  readonly #run: Run;
  #sessions: SessionStore | undefined;
  #session: OpenSession | undefined;
  #wasStored = false;

  constructor(run: Run) {
    this.#run = run;
  }

  /**
   * Waits for the session's lease, and opens the session. With `continueFrom`, opens a fork instead if the session
   * has later turns.
   */
  async open(sessions: SessionStore, onWaiting?: OpenOptions["onWaiting"]): Promise<OpenSession> {
    const { signal, settings, steps, runId } = this.#run;
    const { durable } = steps;
    const { telemetry } = settings;
    const startedAt = telemetry === undefined ? 0 : performance.now();
    const options: OpenOptions = {
      owner: ownerOf(settings),
      signal,
      isNew: !settings.isNamedSession,
      ...(durable !== undefined && { run: { runId, attempt: durable.attempt } }),
      onWaiting,
    };
    const session = await this.#openOrFork(sessions, options);
    telemetry?.measure("session.wait", { ms: performance.now() - startedAt });
    this.#sessions = sessions;
    this.#session = session;
    // If the run ended just after the lease was granted, the run could not release the session yet, so the session is
    // released here.
    if (signal.aborted) session.release();
    signal.throwIfAborted();
    if (settings.messages !== undefined) await this.#checkEmpty(session);
    return session;
  }

  #openOrFork(sessions: SessionStore, options: OpenOptions): Promise<OpenSession> {
    const { sessionId, continueFrom, sessionStorage } = this.#run.settings;
    if (continueFrom === undefined || sessionStorage !== undefined) return sessions.open(sessionId, options);
    return this.#continue(sessions, options, continueFrom);
  }

  /** Opens the session of an earlier run for a run that continues from it, or a fork of the session. */
  async #continue(
    sessions: SessionStore,
    options: OpenOptions,
    continueFrom: NonNullable<RunSettings["continueFrom"]>,
  ): Promise<OpenSession> {
    const { runId } = this.#run;
    const { sessionId } = this.#run.settings;
    const session = await this.#openAt(sessions, { ...options, isNew: false }, continueFrom);
    if (session !== undefined) return session;
    await sessions.fork(sessionId, { seq: continueFrom.seq, forkId: runId }, options);
    this.#run.enterSession(runId);
    return await sessions.open(runId, { ...options, isNew: false });
  }

  /**
   * Opens the session if its newest turn is the turn from which the run continues, and no other run uses the session.
   * Otherwise returns undefined, and the run continues in a fork.
   */
  async #openAt(
    sessions: SessionStore,
    options: OpenOptions,
    { runId: before }: { readonly runId: string },
  ): Promise<OpenSession | undefined> {
    const { settings, runId, signal, steps } = this.#run;
    // Only a first attempt may continue in a fork because the session is busy. A later attempt waits for the session,
    // because an earlier attempt may have stored the turn there.
    const isLater = steps.durable !== undefined && steps.durable.attempt > 1;
    if (isLater && (await sessions.has(runId, options))) return undefined;
    const patience = isLater ? {} : ({ onBusy: "reject", onWaiting: "reject" } as const);
    const opening = sessions.open(settings.sessionId, { ...options, ...patience });
    const session = isLater ? await opening : await orBusy(opening);
    if (session === undefined) return undefined;
    const newest = await newestRun(session, signal);
    if (newest === before || newest === runId) return session;
    session.release();
    return undefined;
  }

  /** Stores the turn of a finished run and returns its number. */
  saveFinished(messages: ChatMessage[]): Promise<number> {
    const isDurable = this.#run.steps.durable !== undefined;
    return isDurable ? this.#saveDurable(messages) : this.#store("completed", messages);
  }

  /** Stores the work of a failed or cancelled run as an interrupted turn if the run called a tool. */
  async saveInterrupted(): Promise<void> {
    const { messages, unfinishedStep } = this.#run;
    const done = interruptedTurn(messages, unfinishedStep);
    if (done !== null) await this.#storeOnce("interrupted", done, unfinishedStep);
    await this.#endWait();
  }

  /**
   * Records in the session that the run waits for an answer. Until the run has ended, the session rejects other runs,
   * or another run cancels the waiting run: see `onWaiting`. Does nothing for a child run.
   */
  async suspend(): Promise<void> {
    const { settings, steps } = this.#run;
    const { durable } = steps;
    if (this.#session === undefined || durable === undefined || settings.parentRunId !== undefined) return;
    await this.#sessions?.noteWait(settings.sessionId, durable.runId, { owner: ownerOf(settings) });
  }

  /**
   * True if an earlier attempt at a durable run has stored the turn. In that case the memory already has the turn,
   * because recalling a history adds the turns that the memory has missed.
   */
  get wasStored(): boolean {
    return this.#wasStored;
  }

  /** True if the run's turn gave the session its title. */
  get madeTitle(): boolean {
    return this.#session?.madeTitle === true;
  }

  /** Releases the session's lease. */
  release(): void {
    this.#session?.release();
  }

  /** Throws if the session has turns, because an earlier conversation may only precede the first turn of a session. */
  async #checkEmpty(session: OpenSession): Promise<void> {
    const { signal, settings, runId } = this.#run;
    const [newest] = await session.loadTurnsWithoutData(1, signal);
    // A turn that an earlier attempt at the same run has stored does not count as an earlier turn.
    if (newest === undefined || newest.runId === runId) return;
    throw new TroupeError(
      "conflict",
      `Session ${JSON.stringify(settings.sessionId)} has turns already. Leave out messages, or start a new session with them.`,
    );
  }

  /**
   * Stores the turn of a durable run, unless an earlier attempt has stored it, and records that the run no longer
   * waits.
   */
  async #saveDurable(messages: ChatMessage[]): Promise<number> {
    const seq = await this.#storeOnce("completed", messages);
    await this.#endWait();
    return seq;
  }

  async #endWait(): Promise<void> {
    const { settings, steps } = this.#run;
    const { durable } = steps;
    if (durable === undefined || this.#session?.waitingRun !== durable.runId) return;
    await this.#sessions?.endWait(settings.sessionId, durable.runId, { owner: ownerOf(settings) });
  }

  /** Returns the number of a durable run's turn if an earlier attempt has stored it, otherwise `undefined`. */
  async #storedBefore(): Promise<number | undefined> {
    const { steps, runId } = this.#run;
    if (!steps.isResumed) return undefined;
    const turns = await this.#session?.loadTurnsWithoutData(turnsToSearch);
    return turns?.find((turn) => turn.runId === runId)?.seq;
  }

  /** Stores a run's turn, unless an earlier attempt has stored it. Returns the number of the turn. */
  async #storeOnce(status: NewTurn["status"], messages: ChatMessage[], unfinished?: UnfinishedStep): Promise<number> {
    const { steps, settings } = this.#run;
    const stored = await this.#storedBefore();
    this.#wasStored = stored !== undefined;
    if (stored !== undefined) return stored;
    // The journal steps are stored first. If the turn were stored before them, a later process could give another
    // answer. Sessions in memory end with their process and need no such order.
    if (settings.sessionStorage === undefined) await steps.flush();
    return await this.#store(status, messages, unfinished);
  }

  #store(status: NewTurn["status"], messages: ChatMessage[], unfinished?: UnfinishedStep): Promise<number> {
    const { runId, context, input, meter, toolCalls, settings, sources } = this.#run;
    if (this.#session === undefined) {
      return Promise.reject(new TroupeError("internal", "A turn cannot be stored without a session."));
    }
    const runnable = context.agentName;
    const history = settings.messages === undefined ? {} : { history: [...settings.messages] };
    const turn = { runId, runnable, input, ...history, status, usage: meter.total };
    const toolResults = toTurnToolResults(toolCalls, unfinished);
    const leftOut = toolResults.reduce((sum, each) => sum + (each.leftOut ?? 0), 0);
    if (leftOut > 0) {
      this.#run.warn("artifacts_not_stored", "Artifacts of tools were too large to be stored with the turn.", {
        leftOut,
      });
    }
    const vendorStates = this.#vendorStatesOf(messages);
    const { refusedStates } = this.#run;
    return this.#append(this.#session, {
      ...turn,
      messages: this.#messagesOf(messages),
      ...(toolResults.length > 0 && { toolResults }),
      ...(sources.length > 0 && { sources: [...sources] }),
      ...(vendorStates.length > 0 && { vendorStates }),
      ...(refusedStates !== undefined && { refusedStates: modelsOf(refusedStates) }),
    });
  }

  /**
   * Appends a turn to the session. If the session lasts only as long as its parent run, the turn is also stored as a
   * step of the run, from which a later process rebuilds the session.
   */
  #append(session: OpenSession, turn: NewTurn): Promise<number> {
    const { steps, settings } = this.#run;
    const appended = session.appendTurn(turn);
    if (settings.sessionStorage === undefined || steps.durable === undefined) return appended;
    return appended.then(async (seq) => {
      await steps.step<MemberTurn>(turnStep, "turn", () => ({ sessionId: settings.sessionId, turn }));
      return seq;
    });
  }

  #messagesOf(messages: readonly ChatMessage[]): ChatMessage[] {
    const { kept, leftOut } = toTurnMessages(messages);
    if (leftOut > 0) {
      const message = "Arguments of tool calls were too large to be stored with the turn.";
      this.#run.warn("arguments_not_stored", message, { leftOut });
    }
    return kept;
  }

  #vendorStatesOf(messages: readonly ChatMessage[]): TurnVendorState[] {
    const { kept, leftOut } = toTurnVendorStates(messages, this.#run);
    if (leftOut > 0) {
      const message = "Results of the vendor's own tools were too large to be stored with the turn.";
      this.#run.warn("state_not_stored", message, { leftOut });
    }
    return kept;
  }
}

/** Returns an opened session, or undefined if another run uses it. */
async function orBusy(opening: Promise<OpenSession>): Promise<OpenSession | undefined> {
  try {
    return await opening;
  } catch (error) {
    if (TroupeError.is(error) && error.code === "conflict") return undefined;
    throw error;
  }
}

/** Returns the id of the run that stored a session's newest turn. Releases the session if the turn cannot be read. */
async function newestRun(session: OpenSession, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await session.loadTurnsWithoutData(1, signal))[0]?.runId;
  } catch (error) {
    session.release();
    throw error;
  }
}

/** Returns the models that produced these vendor states, each once. */
function modelsOf(states: ReadonlySet<VendorState>): AnsweringModel[] {
  const models = new Map<string, AnsweringModel>();
  for (const { providerId, modelId } of states) models.set(`${providerId}/${modelId}`, { providerId, modelId });
  return [...models.values()];
}
