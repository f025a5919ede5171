import type { AddTurnOptions, OwnedScope, RecalledMemory } from "../memory/memory-options.ts";
import type { AgentMemory } from "../memory/agent-memory.ts";
import { toRecallingMemory } from "../memory/stand-in-memory.ts";
import type { RecallingMemory } from "../memory/stand-in-memory.ts";
import type { ModelProvider } from "../../model/model-provider.ts";
import { withoutVendorState } from "../../model/vendor-state.ts";
import type { ModelMessage } from "../../model/vendor-state.ts";
import { observeMemory } from "../memory/observe-memory.ts";
import { ownerOf } from "../run/run-options.ts";
import type { Run } from "../run/run.ts";
import type { OpenSession } from "../../sessions/session/open-session.ts";
import { withStateOf } from "./remembered-state.ts";
import { turnMessages } from "../../sessions/session/turn-record.ts";
import type { StoredTurn, TurnConversation } from "../../sessions/session/turn-record.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";

/**
 * The maximum number of a session's turns that are added at once to a memory that missed them. Older turns would leave
 * the memory's window in any case.
 */
const mostMissed = 200;

/**
 * A memory, its run, the agent's storage if it has one, and the agent's model for memories without a model of their
 * own.
 */
type Parts = { memory: AgentMemory; run: Run; model: ModelProvider; storage: StorageDriver | undefined };

/** A turn that is added to a memory, and the vendor state of its messages, if any. */
type RememberedTurn = TurnConversation & { readonly vendorStates?: unknown; readonly refusedStates?: unknown };

/** A memory's share of a run's history: messages, some with vendor state, and text for the system prompt. */
export type RememberedHistory = {
  readonly messages: readonly ModelMessage[];
  readonly context: string;
  readonly through: number;
};

/**
 * Recalls the configured `Memory` of a session for a run of an agent (a team has no memory), and adds the run's turn.
 * The session's turns are authoritative: turns that the memory missed, because of a failed write or a crash, are added
 * first.
 */
export class SessionMemory {
  readonly #parts: Parts;
  readonly #memory: RecallingMemory;
  #through = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#memory = toRecallingMemory(parts.memory);
  }

  /**
   * Adds the turns that the memory missed, and returns its memory of the session. Vendor state comes from the stored
   * turns only, never from a memory.
   */
  async recall(session: OpenSession): Promise<RememberedHistory> {
    let recalled = await this.#recallLive(session);
    const missed = await this.#missedTurns(session);
    for (const turn of missed) await this.add(turn, turn.seq);
    if (missed.length > 0) recalled = await this.#recall();
    const { context, through, vendorStateTurns = [] } = recalled;
    const messages = recalled.messages.map(withoutVendorState);
    if (vendorStateTurns.length === 0) return { messages, context, through };
    const numbers = vendorStateTurns.map(({ seq }) => seq);
    const turns = await session.loadTurnsAt(numbers, this.#parts.run.signal);
    return { messages: withStateOf(turns, vendorStateTurns, messages), context, through };
  }

  /** Adds the stored turn with this number to the memory. */
  async add(turn: RememberedTurn, seq: number): Promise<void> {
    const { run, memory } = this.#parts;
    const hasVendorState = (turn.vendorStates ?? turn.refusedStates) !== undefined;
    if (hasVendorState && this.#memory !== memory) {
      run.warn(
        "state_not_replayed",
        "The memory keeps messages alone: results of the vendor's own tools do not go back.",
      );
    }
    const options = {
      ...this.#options(),
      through: seq,
      after: this.#through,
      ...(hasVendorState && { hasVendorState }),
    };
    const { sessionId, telemetry } = run.settings;
    const messages = turnMessages(turn);
    const added = async () => await this.#memory.addMessages(sessionId, messages, options);
    if (telemetry === undefined) await added();
    else await observeMemory(telemetry, { action: "upsert", store: "session" }, added);
    this.#through = seq;
  }

  /**
   * Recalls the memory. If the newest turn in the memory was deleted from the session, clears the memory first, because
   * it would otherwise still contain that turn.
   */
  async #recallLive(session: OpenSession): Promise<RecalledMemory> {
    const recalled = await this.#recall();
    const { run, storage } = this.#parts;
    const { settings, signal } = run;
    const isStale = recalled.through !== Number.MAX_SAFE_INTEGER && (await session.isDeleted(recalled.through, signal));
    if (!isStale) return recalled;
    await this.#memory.clear(settings.sessionId, { ...ownerOf(settings), storage, signal, through: 0 });
    return await this.#recall();
  }

  async #recall(): Promise<RecalledMemory> {
    const { run, storage } = this.#parts;
    const { settings, signal } = run;
    // Messages that the program added to the memory without an owner are for runs that the program itself starts. If a
    // session was created for this run, there are no such messages.
    const takesSeed = !settings.fromOutside && settings.isNamedSession;
    const scope = { ...ownerOf(settings), storage, signal, takesSeed };
    const read = async () => await this.#memory.recall(settings.sessionId, scope);
    const { telemetry } = settings;
    const recalled = await (telemetry === undefined
      ? read()
      : observeMemory(telemetry, { action: "search", store: "session" }, read));
    this.#through = recalled.through;
    return recalled;
  }

  async #missedTurns(session: OpenSession): Promise<StoredTurn[]> {
    const { signal } = this.#parts.run;
    const [newest] = await session.loadTurnsWithoutData(1, signal);
    const missed = (newest?.seq ?? 0) - this.#through;
    if (missed <= 0) return [];
    const turns = await session.loadTurns(Math.min(missed, mostMissed), signal);
    return turns.filter((turn) => turn.seq > this.#through);
  }

  #options(): OwnedScope<AddTurnOptions> {
    const { run, model, storage } = this.#parts;
    const { signal, logger } = run;
    return {
      ...ownerOf(run.settings),
      storage,
      signal,
      logger,
      model,
      apiKeyFor: (providerId) => run.keyFor(providerId),
      onUsage: (usage) => run.meter.add(usage),
      onModelCall: (called) => run.modelCalls.begin(called),
      telemetry: run.settings.telemetry,
      onWarning: (code, message, fields) => run.warn(code, message, fields),
    };
  }
}
