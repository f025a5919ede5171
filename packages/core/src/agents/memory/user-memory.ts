import { booleanOption, stringOption, integerOption, optional } from "../../base/errors/option-checks.ts";
import { readOptions } from "../../base/errors/read-options.ts";
import type { OptionTable } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import type { ModelProvider } from "../../model/model-provider.ts";
import { toUserOwner } from "../../sessions/storage/session-owner.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import type { ExecutableTool } from "../run/tool.ts";
import { BoundedFacts } from "./bounded-facts.ts";
import { changeFacts, listFacts, removeFact, removeFacts } from "./fact-store.ts";
import type { FactAccess } from "./fact-store.ts";
import { findFacts } from "./find-facts.ts";
import { modelProvider, storageDriver } from "./memory-options.ts";
import type { MemoryModelOptions, UserMemoryScope } from "./memory-options.ts";
import { MemoryStorages } from "./memory-storages.ts";
import { factsToKeep, planFacts } from "./plan-facts.ts";
import { recallTool } from "./recall-tool.ts";
import type { RecallToolConfig } from "./recall-tool.ts";
import { checkFacts, factsBlock, isFactSource, toUserFact } from "./user-fact.ts";
import type { FactSource, UserFact } from "./user-fact.ts";

/** Options of a `UserMemory`. */
export type UserMemoryOptions = {
  /**
   * The driver that stores the facts.
   * @default the storages of the agents that use the memory: each agent writes to its own storage and reads from all;
   * without agents' storages, a bounded storage in memory
   */
  storage?: StorageDriver | undefined;
  /** The model that finds facts. @default the agent's model */
  model?: ModelProvider | undefined;
  /** The maximum number of facts stored for each user. @default 100 */
  maxFacts?: number | undefined;
  /** Allows agents to find facts in their conversations. If false, only `extractAndStore` finds facts. @default true */
  enabled?: boolean | undefined;
};

/** Options of `UserMemory.extractAndStore`. */
export type ExtractOptions = UserMemoryScope & MemoryModelOptions;

const where = { path: "UserMemory" };
const optionTable = {
  storage: optional(storageDriver),
  model: optional(modelProvider),
  maxFacts: optional(integerOption(1), 100),
  enabled: optional(booleanOption, true),
} satisfies OptionTable<UserMemoryOptions>;
const toolTable = {
  name: optional(stringOption),
  description: optional(stringOption),
} satisfies OptionTable<RecallToolConfig>;

/**
 * Memory of facts about users, across their sessions: finds facts in conversations, and returns them for prompts or by
 * a tool.
 */
export class UserMemory {
  /** True if agents find facts in their conversations. */
  readonly enabled: boolean;
  readonly #storages: MemoryStorages;
  readonly #model: ModelProvider | undefined;
  readonly #maxFacts: number;
  /** Background work that `flush` waits for, such as the extraction of facts. These promises never reject. */
  readonly #pending = new Set<Promise<void>>();

  constructor(options: UserMemoryOptions = {}) {
    const { storage, model, maxFacts, enabled } = readOptions(optionTable, options, where);
    this.#storages = new MemoryStorages(storage, () => new BoundedFacts());
    this.#model = model;
    this.#maxFacts = maxFacts;
    this.enabled = enabled;
  }

  /** Adds an agent's storage to the storages of facts, if the memory has no storage of its own. */
  bindStorage(driver: StorageDriver): void {
    this.#storages.bind(driver);
  }

  /** Returns the facts about the user, oldest first. */
  async getFacts(userId: string, scope: UserMemoryScope = {}): Promise<UserFact[]> {
    const facts = await listFacts(this.#accessTo(userId, scope));
    return factsToKeep(facts, this.#maxFacts).map(toUserFact);
  }

  /**
   * Adds facts that are not known yet, and returns the facts that it stored. Beyond `maxFacts` the oldest facts found
   * by a model are removed first. Repeating the call is safe: a fact is stored once.
   */
  // oxlint-disable-next-line max-params -- the specification fixes the other parameters, and `options` is added
  async addFacts(
    userId: string,
    facts: readonly string[],
    source: FactSource = "manual",
    scope: UserMemoryScope = {},
  ): Promise<UserFact[]> {
    const access = this.#accessTo(userId, scope);
    const texts = checkFacts(facts);
    if (!isFactSource(source)) throw new TroupeError("invalid_value", 'source must be "auto" or "manual".');
    if (texts.length === 0) return [];
    const plan = { texts, source, maxFacts: this.#maxFacts };
    return (await changeFacts(access, (known) => planFacts(known, plan))).map(toUserFact);
  }

  /** Removes one fact about the user. A fact that does not exist is not an error. */
  async removeFact(userId: string, factId: string, scope: UserMemoryScope = {}): Promise<void> {
    const access = this.#accessTo(userId, scope);
    if (typeof factId !== "string" || !/^[\w-]{1,64}$/.test(factId)) {
      throw new TroupeError("invalid_request", "factId must be the id of a fact from getFacts.");
    }
    await removeFact(access, factId);
  }

  /** Removes all facts about the user. */
  async clear(userId: string, scope: UserMemoryScope = {}): Promise<void> {
    await removeFacts(this.#accessTo(userId, scope));
  }

  /** Returns the facts about the user as data for a prompt; an empty string if there are no facts. */
  async getContextString(userId: string, scope: UserMemoryScope = {}): Promise<string> {
    return factsBlock(await this.getFacts(userId, scope));
  }

  /**
   * Finds facts in messages by the memory's model, or else the given model, and returns the facts that it stored. If
   * the answer cannot be parsed, stores nothing and logs that; a failure of the model or the storage is an error. Also
   * works if `enabled` is false, because that option only concerns the agents' own calls.
   */
  // oxlint-disable-next-line max-params -- the specification fixes the other parameters, and `options` is added
  async extractAndStore(
    userId: string,
    messages: readonly ChatMessage[],
    model?: ModelProvider,
    options: ExtractOptions = {},
  ): Promise<UserFact[]> {
    const access = this.#accessTo(userId, options);
    const finder = this.#model ?? optionTable.model(model, "model", {});
    if (finder === undefined) {
      throw new TroupeError(
        "invalid_config",
        "A model must find the facts. Give one to UserMemory or to extractAndStore.",
      );
    }
    const known = factsToKeep(await listFacts(access), this.#maxFacts).map(({ fact }) => fact);
    const facts = await findFacts({ ...options, model: finder, messages, known });
    return await this.addFacts(userId, facts, "auto", options);
  }

  /** Creates a tool with which a model recalls the facts about its run's user. */
  asTool(config: RecallToolConfig = {}): ExecutableTool {
    const options = readOptions(toolTable, config, { owner: "asTool" });
    return recallTool((userId, scope) => this.getFacts(userId, scope), options);
  }

  /** Makes `flush` wait for work that the caller has started. The caller handles the work's failure. */
  track(work: Promise<unknown>): void {
    const end = () => void this.#pending.delete(settled);
    const settled: Promise<void> = work.then(end, end);
    this.#pending.add(settled);
  }

  /**
   * Waits until no background work of `track` is pending, including work that is added while waiting. Never rejects.
   */
  async flush(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  #accessTo(userId: string, { signal, storage, ...scope }: UserMemoryScope): FactAccess {
    const user = toUserOwner(userId, scope);
    const target = this.#storages.forAgent(storage);
    return { user, target, drivers: this.#storages.all, signal };
  }
}
