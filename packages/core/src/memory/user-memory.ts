import { checkCount } from "../errors/check-option.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import type { ChatMessage } from "../message/message.ts";
import type { ModelProvider } from "../model/model-provider.ts";
import { checkOwner } from "../session/session-owner.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import type { ToolDef } from "../tool/tool.ts";
import { BoundedFacts } from "./bounded-facts.ts";
import { checkFlag, checkModel, refuseUnknownOptions } from "./check-memory.ts";
import { extractFacts } from "./extract-facts.ts";
import { changeFacts, listFacts, removeFact, removeFacts } from "./fact-store.ts";
import type { FactPlace } from "./fact-store.ts";
import { checkFacts } from "./fact-text.ts";
import { factsBlock } from "./facts-block.ts";
import { LateStorage } from "./late-storage.ts";
import type { MemoryScope, ModelAccount } from "./memory-options.ts";
import { PendingWork } from "./pending-work.ts";
import { newestFacts, planFacts } from "./plan-facts.ts";
import { recallTool } from "./recall-tool.ts";
import type { RecallToolConfig } from "./recall-tool.ts";
import { isFactSource, toUserFact } from "./user-fact.ts";
import type { FactSource, UserFact } from "./user-fact.ts";

/** How a user memory is set up. */
export type UserMemoryOptions = {
  /** @default the storage of the agents that use it; without one, in memory and bounded */
  storage?: StorageDriver;
  /** Finds facts in conversations. @default the agent's model */
  model?: ModelProvider;
  /** How many facts are kept of a user. @default 100 */
  maxFacts?: number;
  /** Whether facts are looked for in conversations. @default true */
  enabled?: boolean;
};

/** What goes with an extraction. */
export type ExtractOptions = MemoryScope & ModelAccount;

const optionNames = ["storage", "model", "maxFacts", "enabled"];

/** What is known of users, whatever session they said it in. */
export class UserMemory {
  /** Whether facts are looked for in conversations. */
  readonly enabled: boolean;
  readonly #storage: LateStorage;
  readonly #model: ModelProvider | undefined;
  readonly #maxFacts: number;
  readonly #work = new PendingWork();

  constructor(options: UserMemoryOptions = {}) {
    refuseUnknownOptions(options, "UserMemory", optionNames);
    const { storage, model, maxFacts = 100, enabled = true } = options;
    this.#storage = new LateStorage("UserMemory", storage, () => new BoundedFacts());
    this.#model = checkModel(model, "model");
    this.#maxFacts = checkCount(maxFacts, "maxFacts", 1);
    this.enabled = checkFlag(enabled, "enabled");
  }

  /** Uses an agent's storage when the memory has none of its own; a second, different one is `invalid_config`. */
  bindStorage(driver: StorageDriver): void {
    this.#storage.bind(driver);
  }

  /** What is known of the user, oldest first. */
  async getFacts(userId: string, scope: MemoryScope = {}): Promise<UserFact[]> {
    const facts = await listFacts(this.#placeOf(userId, scope));
    return newestFacts(facts, this.#maxFacts).map(toUserFact);
  }

  /**
   * Adds facts that are not known yet, and gives those that it stored. Of too many, the oldest that a model found go first.
   * When it rejects, it may be repeated: a fact is stored once.
   */
  // oxlint-disable-next-line max-params -- the specification's shape, and options
  async addFacts(
    userId: string,
    facts: readonly string[],
    source: FactSource = "manual",
    scope: MemoryScope = {},
  ): Promise<UserFact[]> {
    const place = this.#placeOf(userId, scope);
    const texts = checkFacts(facts);
    if (!isFactSource(source)) throw new TroupeError("invalid_value", 'source must be "auto" or "manual".');
    if (texts.length === 0) return [];
    const plan = { texts, source, maxFacts: this.#maxFacts };
    return (await changeFacts(place, (known) => planFacts(known, plan))).map(toUserFact);
  }

  /** Forgets one fact. That it is not there is no error. */
  async removeFact(userId: string, factId: string, scope: MemoryScope = {}): Promise<void> {
    const place = this.#placeOf(userId, scope);
    if (typeof factId !== "string" || !/^[\w-]{1,64}$/.test(factId)) {
      throw new TroupeError("invalid_request", "factId must be the id of a fact, as getFacts gives it.");
    }
    await removeFact(place, factId);
  }

  /** Forgets all that is known of the user. */
  async clear(userId: string, scope: MemoryScope = {}): Promise<void> {
    await removeFacts(this.#placeOf(userId, scope));
  }

  /** What is known of the user as data for a prompt; empty when nothing is. */
  async getContextString(userId: string, scope: MemoryScope = {}): Promise<string> {
    return factsBlock(await this.getFacts(userId, scope));
  }

  /**
   * Lets the memory's model, else the given one, find facts in the messages, and gives those that it stored. An answer of
   * no use stores nothing and is logged; a failure of the model or the storage is an error. Not `enabled`, it does nothing.
   */
  // oxlint-disable-next-line max-params -- the specification's shape, and options
  async extractAndStore(
    userId: string,
    messages: readonly ChatMessage[],
    model?: ModelProvider,
    options: ExtractOptions = {},
  ): Promise<UserFact[]> {
    const place = this.#placeOf(userId, options);
    const asked = this.#model ?? checkModel(model, "model");
    if (!this.enabled) return [];
    if (asked === undefined) {
      throw new TroupeError(
        "invalid_config",
        "Facts are found by a model: give the UserMemory one, or extractAndStore.",
      );
    }
    const known = newestFacts(await listFacts(place), this.#maxFacts).map(({ fact }) => fact);
    const facts = await extractFacts({ ...options, model: asked, messages, known });
    return await this.addFacts(userId, facts, "auto", options);
  }

  /** A tool with which a model recalls what is known of the user of its run. */
  asTool(config: RecallToolConfig = {}): ToolDef {
    refuseUnknownOptions(config, "asTool", ["name", "description"]);
    return recallTool((userId, scope) => this.getFacts(userId, scope), config);
  }

  /** Makes `flush` wait for work that was started elsewhere. Whoever started it sees to its failure. */
  track(work: Promise<unknown>): void {
    this.#work.track(work);
  }

  /** Waits until nothing is pending. What failed was told elsewhere: this never rejects. */
  async flush(): Promise<void> {
    await this.#work.flush();
  }

  #placeOf(userId: string, { tenantId, signal }: MemoryScope): FactPlace {
    if (typeof userId !== "string") throw new TroupeError("invalid_request", "userId must be a text: whose facts?");
    checkOwner({ tenantId, userId });
    return { driver: this.#storage.driver, tenantId, userId, signal };
  }
}
