import type { AddMessagesOptions, OwnedScope, RecalledMemory } from "../memory/memory-options.ts";
import type { AgentMemory } from "../memory/agent-memory.ts";
import { toRecallingMemory } from "../memory/stand-in-memory.ts";
import type { RecallingMemory } from "../memory/stand-in-memory.ts";
import type { ModelProvider } from "../../model/model-provider.ts";
import { withoutVendorState } from "../../model/vendor-state.ts";
import type { ModelMessage } from "../../model/vendor-state.ts";
import { ownerOf } from "../run/run-options.ts";
import type { Run } from "../run/run.ts";
import type { OpenSession } from "../../sessions/session/open-session.ts";
import { withStateOf } from "./remembered-state.ts";
import { turnMessages } from "../../sessions/session/turn-record.ts";
import type { StoredTurn, TurnConversation } from "../../sessions/session/turn-record.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";

/** The number of turns that a memory takes in at once: older ones would overflow. */
const mostMissed = 200;

/**
 * A memory, its run, and of the agent the storage, if it has one, and the model, for memories without one of their own.
 */
type Parts = { memory: AgentMemory; run: Run; model: ModelProvider; storage: StorageDriver | undefined };

/** A turn that a memory takes in, and what its vendors want back, if anything. */
type RememberedTurn = TurnConversation & { readonly vendorStates?: unknown; readonly refusedStates?: unknown };

/** A memory's part in the history of a run: messages, some with state of vendors, and text for the system prompt. */
export type RememberedHistory = {
  readonly messages: readonly ModelMessage[];
  readonly context: string;
  readonly through: number;
};

/**
 * Recalls the configured `Memory` of a session for a run of an agent (a team has none), and adds the run's turn to it. The
 * session's turns are the truth: turns that the memory missed, because a write failed or the process ended, are added first.
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
   * Takes in the turns that the memory missed, and returns what it remembers of the session. State of vendors comes from the
   * turns alone, whatever a memory says.
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

  /** Takes in the turn that is stored with this number. */
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
    await this.#memory.addMessages(run.settings.sessionId, turnMessages(turn), options);
    this.#through = seq;
  }

  /** A memory whose last turn was deleted has forgotten nothing of that yet: it begins anew. */
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
    // What the program has added without an owner is for its own runs. A session that was made just now has none of it.
    const takesSeed = !settings.fromOutside && settings.isNamedSession;
    const recalled = await this.#memory.recall(settings.sessionId, {
      ...ownerOf(settings),
      storage,
      signal,
      takesSeed,
    });
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

  #options(): OwnedScope<AddMessagesOptions> {
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
      onWarning: (code, message, fields) => run.warn(code, message, fields),
    };
  }
}
