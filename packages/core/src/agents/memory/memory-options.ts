import {
  booleanOption,
  integerOption,
  methodsOption,
  optional,
  customOption,
} from "../../base/errors/option-checks.ts";
import type { OptionTable } from "../../base/errors/read-options.ts";
import type { LogFields, Logger } from "../../base/log/logger.ts";
import type { Telemetry } from "../../base/telemetry/telemetry.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import type { TokenUsage } from "../../base/message/token-usage.ts";
import type { ReportModelAttempt } from "../../model/model-attempt.ts";
import type { ModelProvider } from "../../model/model-provider.ts";
import type { SessionOwner, StatedOwner, UserScope } from "../../sessions/storage/session-owner.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { isCount } from "../../sessions/storage/stored-record.ts";

/** The tenant and verification of the user in a call to a `UserMemory`, and a signal that ends the call. */
export type UserMemoryScope = UserScope & {
  /**
   * The storage to write to, which is the storage of the calling agent, if it has one. @default the first storage that
   * the memory uses
   */
  storage?: StorageDriver | undefined;
  /** Signal that ends the call. A write in progress may or may not be stored; repeating the call is safe. */
  signal?: AbortSignal | undefined;
};

/**
 * Tenant and user that own the session in a call to a `Memory`, and a signal that ends the call. The session's id is a
 * separate argument.
 *
 * Without `userId`, `tenantId` and `verified` the call is the program's own and refers to the session of that id,
 * whatever its owner. `{ userId: undefined }` refers to the session without a user.
 */
export type MemoryScope = SessionOwner & UserMemoryScope;

/** Scope of a call that names the owner of the session. Every call that is made for a run does so. */
export type OwnedScope<Scope extends MemoryScope = MemoryScope> = Scope & StatedOwner;

/** Options of `Memory.recall`. */
export type RecallScope = MemoryScope & {
  /**
   * True for a run of the program itself. If nothing is remembered yet, the session takes over the messages that the
   * program added to its id without an owner. The call must name the owner. @default false
   */
  takesSeed?: boolean | undefined;
};

/** Options of a call in which a memory calls a model for its caller: the caller's API keys, listeners, and a logger. */
export type MemoryModelOptions = {
  /** Returns the caller's API key for a vendor. */
  apiKeyFor?: ((providerId: string) => string | undefined) | undefined;
  /** Called with the usage of each model call, even if the call ends after its caller has stopped waiting. */
  onUsage?: ((usage: TokenUsage) => void) | undefined;
  /**
   * Called when a model call begins. The returned function reports the beginning and the end of each attempt at the
   * call.
   */
  onModelCall?: ((model: Pick<ModelProvider, "providerId" | "modelId">) => ReportModelAttempt | undefined) | undefined;
  /** Records the model calls, if the run has telemetry. */
  telemetry?: Telemetry | undefined;
  /** The logger for failures that the memory recovered from. */
  logger?: Logger | undefined;
  /** Receives the failures that the memory recovered from, instead of the logger, with a code, as `Run.warn` does. */
  onWarning?: ((code: string, message: string, fields?: LogFields) => void) | undefined;
};

/** Reports a failure that the memory recovered from: to the caller's `onWarning`, or else to its logger. */
export function warnCaller(
  { onWarning, logger }: MemoryModelOptions,
  { code, message, ...fields }: LogFields & { code: string; message: string },
): void {
  if (onWarning === undefined) logger?.warn(message, { ...fields, code });
  else onWarning(code, message, fields);
}

/** Options of a `Memory`. */
export type MemoryOptions = {
  /**
   * Stores the messages and summaries. @default the storages of the agents that use the memory, each for its own
   * sessions; if there are none, a bounded storage in memory
   */
  storage?: StorageDriver | undefined;
  /**
   * The maximum number of messages in the window, which holds the newest messages unchanged. Beyond it, or beyond four
   * million characters in total, the oldest turns overflow as a whole. @default 50
   */
  maxShortTermMessages?: number | undefined;
  /** Summarises messages that overflow the window. If false, they are dropped. @default false */
  enableLongTerm?: boolean | undefined;
  /**
   * The model that writes the summaries. @default the agent's model; without a model, a summary is made of the
   * beginnings of the messages
   */
  model?: ModelProvider | undefined;
};

/** Options of `Memory.addMessages`: the owner of the session, a signal, and a model for summaries. */
export type AddMessagesOptions = Omit<MemoryScope, "storage"> & {
  /** The model that writes the summaries if the memory has no model of its own. */
  model?: ModelProvider | undefined;
};

/** Options with which an agent adds a turn of a session to its memory. */
export type AddTurnOptions = AddMessagesOptions &
  Pick<MemoryScope, "storage"> &
  MemoryModelOptions & {
    /**
     * The number of the session's turn that these messages form. A turn is added once, and never after a later turn.
     */
    through?: number | undefined;
    /**
     * Adds the messages only if the turn with this number is the last turn that the memory includes. The new turn may
     * have a lower number, because a session that was deleted and created again counts its turns from 1 again.
     */
    after?: number | undefined;
    /**
     * True if the added turn has vendor state. The state is read from the stored turn as long as its messages are in
     * the memory's window.
     */
    hasVendorState?: boolean | undefined;
  };

/** Options of `Memory.clear`, which deletes the memory of one session, or of all sessions with an id. */
export type ClearOptions = MemoryScope & {
  /**
   * The number of the last turn of the session that must not be added to the memory again; 0 allows all turns. @default
   * the last turn that was added
   */
  through?: number | undefined;
};

/**
 * Memory of a session for the next model call, returned by `Memory.recall`: the newest messages, and summaries of older
 * messages.
 */
export type RecalledMemory = {
  /** The newest messages, as a history that every model accepts. */
  messages: ChatMessage[];
  /** The summaries as data for a prompt; an empty string if there are none. */
  context: string;
  /** The number of the last turn that the memory includes. */
  through: number;
  /** The turns in the window that have vendor state, oldest first. */
  vendorStateTurns?: readonly VendorStateTurn[];
};

/**
 * A turn in a memory's window that has vendor state. `fromEnd`: the position of its user message among the user
 * messages, counted from the end; 1 for the last.
 */
export type VendorStateTurn = { seq: number; fromEnd: number };

/** Option check for a `StorageDriver`, by its methods. */
export const storageDriver = methodsOption<StorageDriver>("a StorageDriver", "get", "set", "list");

/** Option check for a `ModelProvider`, by its method `generate`. */
export const modelProvider = methodsOption<ModelProvider>("a ModelProvider", "generate");

/** Option check for the number of a session's turn, or 0 for no turn. */
export const turnNumber = customOption<number>("the number of a turn, or 0", isCount);

/** Table for `readOptions` with the checks and defaults of the options of a `Memory`. */
export const memoryOptions = {
  storage: optional(storageDriver),
  maxShortTermMessages: optional(integerOption(1), 50),
  enableLongTerm: optional(booleanOption, false),
  model: optional(modelProvider),
} satisfies OptionTable<MemoryOptions>;
