import type { EventBus } from "../../base/events/event-bus.ts";
import { createRunnableLogger } from "../../base/log/runnable-logger.ts";
import { silentLogger } from "../../base/log/logger.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { ModelSettings } from "../../model/model-config.ts";
import { resolveRetryConfig } from "../../base/retry/retry-config.ts";
import type { RetryConfig } from "../../base/retry/retry-config.ts";
import { createRunEventBus } from "../run/run-event-bus.ts";
import type { RunEvents } from "../run/run-events.ts";
import { emitWarning } from "../run/run-warning.ts";
import type { RunSettings } from "../run/run-options.ts";
import { compileStructuredSchema } from "../../schema/compile-schema.ts";
import type { CompiledSchema } from "../../schema/compile-schema.ts";
import type { ObjectSchema } from "../../schema/object-schema.ts";
import { factOwnerId } from "../memory/agent-user-memory.ts";
import { rebuildMemory, toRecallingMemory } from "../memory/stand-in-memory.ts";
import type { SessionOwner, StatedOwner } from "../../sessions/storage/session-owner.ts";
import { SessionStore } from "../../sessions/session/session-store.ts";
import type { SessionListener } from "../../sessions/session/session-listener.ts";
import { BoundedStorage } from "../../sessions/storage/bounded-storage.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import type { AgentConfig } from "./agent-config.ts";
import { mergeModelSettings } from "./merge-model-settings.ts";
import { AgentTools } from "./agent-tools.ts";

/**
 * The busy policy of sessions that last only as long as their parent run. It sets no limit, because the time limit of
 * the parent run ends the wait.
 */
const waitWithoutLimit = { maxWaiting: Number.MAX_SAFE_INTEGER, waitMs: 2 ** 31 - 1 };

/** Milliseconds that the closing of an agent or team waits for session titles that are still being generated. */
const closingMs = 5000;

const noListeners: readonly SessionListener[] = [];

/**
 * Returns the listener that deletes what an agent's memories hold about a deleted session, deleted turns or a deleted
 * user, in all storages of these memories.
 */
function rememberedBy({ memory, userMemory, storage }: AgentConfig): SessionListener {
  return {
    forgetSession: async (sessionId, owner) => {
      if (memory !== undefined)
        await toRecallingMemory(memory).clear(sessionId, { ...stated(owner), storage, through: 0 });
    },
    forgetTurns: async (sessionId, owner, load) => {
      if (memory !== undefined) await rebuildMemory(memory, { sessionId, owner: { ...stated(owner), storage }, load });
    },
    forgetUser: async ({ userId, ...scope }) => {
      if (userMemory !== undefined) await userMemory.clear(factOwnerId(userMemory, userId, scope), scope);
    },
  };
}

function stated(owner: SessionOwner): StatedOwner {
  return { ...owner, userId: owner.userId };
}

/**
 * The event bus, logger, sessions, tools, answer schema and retry policy that an agent, or the orchestrator of a team,
 * builds from its configuration. Most are created on first use, because programs create thousands of agents and few
 * agents use all of them.
 */
export class AgentParts<Schema extends ObjectSchema | undefined = ObjectSchema | undefined> {
  readonly config: AgentConfig<Schema>;
  /** The schema of the answer. It is compiled immediately, so that a wrong schema is rejected before any run. */
  readonly structured: CompiledSchema | undefined;
  #eventBus: EventBus<RunEvents> | undefined;
  #logger: Logger | undefined;
  #storage: StorageDriver | undefined;
  #sessions: SessionStore | undefined;
  #tools: AgentTools | undefined;
  #modelSettings: ModelSettings | undefined;
  #retry: RetryConfig | undefined;
  #toldOmissions: Set<string> | undefined;

  readonly #listeners: readonly SessionListener[];

  constructor(config: AgentConfig<Schema>, listeners: readonly SessionListener[] = noListeners) {
    this.config = config;
    this.#listeners = listeners;
    const { structuredOutput } = config;
    this.structured = structuredOutput === undefined ? undefined : compileStructuredSchema(structuredOutput);
  }

  get eventBus(): EventBus<RunEvents> {
    return (this.#eventBus ??= this.config.eventBus ?? createRunEventBus(this.logger));
  }

  /** The logger that the configuration chooses; undefined if it chooses no logger. */
  get logger(): Logger | undefined {
    return (this.#logger ??= createRunnableLogger(this.config.name, this.config));
  }

  get storage(): StorageDriver {
    return (this.#storage ??=
      this.config.storage ?? new BoundedStorage({ onFull: (maxBytes) => this.#warnOfFull(maxBytes) }));
  }

  #warnOfFull(maxBytes: number): void {
    const { logger = silentLogger, eventBus } = this;
    const message =
      `The sessions in memory have reached their limit of ${maxBytes} bytes: the oldest are dropped from now on. Give ` +
      `${JSON.stringify(this.config.name)} a storage to keep them.`;
    emitWarning({ code: "sessions_dropped", message, fields: { maxBytes } }, { logger, eventBuses: [eventBus] });
  }

  get sessions(): SessionStore {
    return (this.#sessions ??= this.#makeSessions());
  }

  #makeSessions(): SessionStore {
    const { onBusy = "enqueue" } = this.config;
    const policy = typeof onBusy === "string" ? { onBusy } : onBusy;
    return new SessionStore(this.storage, policy, [rememberedBy(this.config), ...this.#listeners]);
  }

  /**
   * Returns the store of a run's session. A session that lasts only as long as its parent run has a separate store,
   * without a limit on waiting.
   */
  sessionsFor({ sessionStorage }: RunSettings): SessionStore {
    return sessionStorage === undefined ? this.sessions : new SessionStore(sessionStorage, waitWithoutLimit);
  }

  get tools(): AgentTools {
    return (this.#tools ??= new AgentTools(this.config.tools));
  }

  /** Waits until session titles in progress are made, and cancels titles that take too long. */
  async endBackgroundWork(): Promise<void> {
    await this.#sessions?.flush({ waitMs: closingMs });
  }

  /** The settings of model calls, before a run's own settings are applied. */
  get modelSettings(): ModelSettings {
    return (this.#modelSettings ??= mergeModelSettings(this.config));
  }

  /**
   * The options that a model does not accept and about which the agent has already warned: one warning for each agent.
   */
  get toldOmissions(): Set<string> {
    return (this.#toldOmissions ??= new Set());
  }

  get retry(): RetryConfig {
    return (this.#retry ??= resolveRetryConfig(this.config.retry));
  }
}
