import type { AddMessagesOptions, RecalledMemory } from "../memory/memory-options.ts";
import type { Memory } from "../memory/memory.ts";
import type { ModelProvider } from "../model/model-provider.ts";
import type { Run } from "../run/run.ts";
import type { OpenSession } from "../session/open-session.ts";

import { turnMessages } from "../session/turn-record.ts";
import type { StoredTurn, TurnRecord } from "../session/turn-record.ts";

/** How many turns a memory takes in at once: what is older than these would overflow anyhow. */
const mostMissed = 200;

/** Whose memory it is, in which run, and the model that writes summaries when the memory has none of its own. */
type Owner = { memory: Memory; run: Run; model: ModelProvider };

/**
 * A memory while one run has its session. The session's turns are the truth: what the memory has missed of them, since a
 * write failed or the process ended, it takes in first.
 */
export class SessionMemory {
  readonly #owner: Owner;
  #through = 0;

  constructor(owner: Owner) {
    this.#owner = owner;
  }

  /** What is remembered of the session, with all its turns taken in. */
  async recall(session: OpenSession): Promise<RecalledMemory> {
    const recalled = await this.#recall();
    const missed = await this.#missedTurns(session);
    if (missed.length === 0) return recalled;
    for (const turn of missed) await this.add(turn, turn.seq);
    return await this.#recall();
  }

  /** Takes in a turn that is stored under this number. */
  async add(turn: Pick<TurnRecord, "input" | "messages">, seq: number): Promise<void> {
    const { memory, run } = this.#owner;
    const options = { ...this.#options(), through: seq, after: this.#through };
    await memory.addMessages(run.settings.sessionId, turnMessages(turn), options);
    this.#through = seq;
  }

  async #recall(): Promise<RecalledMemory> {
    const { memory, run } = this.#owner;
    const { sessionId, tenantId } = run.settings;
    const recalled = await memory.recall(sessionId, { tenantId, signal: run.signal });
    this.#through = recalled.through;
    return recalled;
  }

  async #missedTurns(session: OpenSession): Promise<StoredTurn[]> {
    const { signal } = this.#owner.run;
    const [newest] = await session.loadTurns(1, signal);
    const missed = (newest?.seq ?? 0) - this.#through;
    if (missed <= 0) return [];
    const turns = await session.loadTurns(Math.min(missed, mostMissed), signal);
    return turns.filter((turn) => turn.seq > this.#through);
  }

  #options(): AddMessagesOptions {
    const { run, model } = this.#owner;
    const { signal, logger } = run;
    return {
      tenantId: run.settings.tenantId,
      signal,
      logger,
      model,
      apiKeyFor: (providerId) => run.keyFor(providerId),
      onUsage: (usage) => run.meter.add(usage),
    };
  }
}
