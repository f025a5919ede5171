import { anyBoolean, integer, methods, optional, satisfying } from "../../base/errors/option-checks.ts";
import type { OptionTable } from "../../base/errors/read-options.ts";
import type { LogFields, Logger } from "../../base/log/logger.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import type { TokenUsage } from "../../base/message/token-usage.ts";
import type { ReportModelAttempt } from "../../model/model-attempt.ts";
import type { ModelProvider } from "../../model/model-provider.ts";
import type { SessionOwner, StatedOwner, UserScope } from "../../sessions/storage/session-owner.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { isCount } from "../../sessions/storage/stored-record.ts";

/** Scope of the user in a call to a `UserMemory`, and a signal that ends the call. */
export type UserMemoryScope = UserScope & {
  /** The storage of the agent that calls, where it has one: it writes there. @default the first that the memory uses */
  storage?: StorageDriver | undefined;
  /** Ends the call. A write under way may be stored or not; repeating the call is safe. */
  signal?: AbortSignal | undefined;
};

/**
 * Tenant and user that own the session in a call to a `Memory`, and a signal that ends the call. The session's id is an
 * argument of its own.
 *
 * Without `userId`, `tenantId` and `verified` the call is of the program, and means the session of that id whatever its
 * owner. `{ userId: undefined }` means the session without a user.
 */
export type MemoryScope = SessionOwner & UserMemoryScope;

/** Scope of a call that states the owner of the session, as each call for a run does. */
export type OwnedScope<Scope extends MemoryScope = MemoryScope> = Scope & StatedOwner;

/** Options of `Memory.recall`. */
export type RecallScope = MemoryScope & {
  /**
   * True for a run of the program itself: if nothing is remembered yet, the session takes over what the program has added to
   * its id without an owner. Needs the owner. @default false
   */
  takesSeed?: boolean | undefined;
};

/**
 * Options of a call in which a memory calls a model for its caller: the caller's API keys, a listener for token usage,
 * and a logger.
 */
export type MemoryModelOptions = {
  /** Returns the caller's API key for a vendor. */
  apiKeyFor?: ((providerId: string) => string | undefined) | undefined;
  /** Called with the usage of each model call, also of one that ends after its caller stopped waiting. */
  onUsage?: ((usage: TokenUsage) => void) | undefined;
  /**
   * Called when a model call begins. The function that it returns reports the attempts at the call, each with its
   * beginning and its end.
   */
  onModelCall?: ((model: Pick<ModelProvider, "providerId" | "modelId">) => ReportModelAttempt | undefined) | undefined;
  /** Logs failures that the memory recovered from. */
  logger?: Logger | undefined;
  /** Receives these failures in place of the logger, with a code, as `Run.warn` does. */
  onWarning?: ((code: string, message: string, fields?: LogFields) => void) | undefined;
};

/** Tells the caller of a memory of a failure that the memory recovered from: by its `onWarning`, else by its logger. */
export function warnCaller(
  { onWarning, logger }: MemoryModelOptions,
  { code, message, ...fields }: LogFields & { code: string; message: string },
): void {
  if (onWarning === undefined) logger?.warn(message, { ...fields, code });
  else onWarning(code, message, fields);
}

/** Options of a `Memory`. */
export type MemoryOptions = {
  /** Stores the messages and summaries. @default the storages of the agents that use it, each for its own sessions; without any, in memory and bounded */
  storage?: StorageDriver | undefined;
  /**
   * The number of messages in the window. Beyond it, and beyond four million characters in all, the oldest turns overflow
   * as a whole. @default 50
   */
  maxShortTermMessages?: number | undefined;
  /** Summarises messages that overflow. Otherwise they are dropped. @default false */
  enableLongTerm?: boolean | undefined;
  /** Writes the summaries. @default the agent's model; without one, they are digests */
  model?: ModelProvider | undefined;
};

/** Options of `Memory.addMessages`. */
export type AddMessagesOptions = MemoryScope &
  MemoryModelOptions & {
    /** Writes the summaries when the memory has no model of its own. */
    model?: ModelProvider | undefined;
    /** The number of the session's turn that the messages are. It is added once, and not after a later one. */
    through?: number | undefined;
    /** Adds only if the memory goes through exactly this turn: for a session that began anew, with its numbers. */
    after?: number | undefined;
    /** True when that turn has state of vendors, which is read from the turn as long as its messages are in the window. */
    hasVendorState?: boolean | undefined;
  };

/** Options of `Memory.clear`, which forgets the memory of a session, or of all with one id. */
export type ClearOptions = MemoryScope & {
  /** The last turn of the session that is not added again; 0 allows all. @default the last that was added */
  through?: number | undefined;
};

/**
 * Memory of a session as `Memory.recall` returns it for the next model call: the newest messages, and summaries of
 * older ones.
 */
export type RecalledMemory = {
  /** The newest messages: a history that every model takes. */
  messages: ChatMessage[];
  /** The summaries as data for a prompt; empty when there are none. */
  context: string;
  /** The number of the last turn that is part of this. */
  through: number;
  /** The turns in the window that have state of vendors, oldest first. */
  vendorStateTurns?: readonly VendorStateTurn[];
};

/**
 * A turn in the window of a memory that has state of vendors. `fromEnd`: the place of its user's message among those of the
 * user, 1 for the last.
 */
export type VendorStateTurn = { seq: number; fromEnd: number };

/** Option check for a `StorageDriver`, by its methods. */
export const storageDriver = methods<StorageDriver>("a StorageDriver", "get", "set", "list");

/** Option check for a `ModelProvider`, by its method `generate`. */
export const modelProvider = methods<ModelProvider>("a ModelProvider", "generate");

/** Option check for the number of a session's turn, or 0 for none. */
export const turnNumber = satisfying<number>("the number of a turn, or 0", isCount);

/** Table for `readOptions` with the checks and defaults of the options of a `Memory`. */
export const memoryOptions = {
  storage: optional(storageDriver),
  maxShortTermMessages: optional(integer(1), 50),
  enableLongTerm: optional(anyBoolean, false),
  model: optional(modelProvider),
} satisfies OptionTable<MemoryOptions>;
