import type { Logger } from "../log/logger.ts";
import type { ChatMessage } from "../message/message.ts";
import type { TokenUsage } from "../message/token-usage.ts";
import type { ModelProvider } from "../model/model-provider.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";

/** Whose records are meant, and when to stop waiting for them. */
export type MemoryScope = {
  /** The tenant of the session or the user, where a service has several. */
  tenantId?: string | undefined;
  /** Ends the waiting: what was being written may be stored or not, and may be repeated. */
  signal?: AbortSignal | undefined;
};

/** How a model is asked on somebody's account. */
export type ModelAccount = {
  /** The caller's key for a vendor. */
  apiKeyFor?: ((providerId: string) => string | undefined) | undefined;
  /** Hears what each model call was billed, also one that nobody waited for any more. */
  onUsage?: ((usage: TokenUsage) => void) | undefined;
  /** Told what went wrong and was helped in another way. */
  logger?: Logger | undefined;
};

/** How a memory is set up. */
export type MemoryOptions = {
  /** @default the storage of the agents that use it; without one, in memory and bounded */
  storage?: StorageDriver;
  /**
   * More messages than these overflow, oldest first and in whole turns; so do older ones when all together have more than
   * four million characters, as with large images. @default 50
   */
  maxShortTermMessages?: number;
  /** Whether overflow is summed up; otherwise it is forgotten. @default false */
  enableLongTerm?: boolean;
  /** Writes the summaries. @default the agent's model; without one, they are digests */
  model?: ModelProvider;
};

/** What goes with messages that are added. */
export type AddMessagesOptions = MemoryScope &
  ModelAccount & {
    /** Writes the summaries when the memory has no model of its own. */
    model?: ModelProvider | undefined;
    /** The number of the session's turn that the messages are: added once, and not when a later one was added before. */
    through?: number | undefined;
    /** Adds only if the memory goes through exactly this turn: for a session that began anew, whose numbers did too. */
    after?: number | undefined;
  };

/** What goes with forgetting. */
export type ClearOptions = MemoryScope & {
  /** Up to which turn the session is not to be taken in again; 0 forgets that too. @default the last that was */
  through?: number | undefined;
};

/** What is remembered of a session. */
export type Recollection = {
  /** The newest messages: a history that every model takes. */
  messages: ChatMessage[];
  /** The summaries as data for a prompt; empty when there are none. */
  context: string;
  /** The number of the last turn that is part of this. */
  through: number;
};
