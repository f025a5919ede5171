import type { ChatMessage } from "../../base/message/message.ts";
import type { FinishReason } from "../../model/model-chunk.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { RunExecution } from "../run/run-execution.ts";
import type { RunWork } from "../run/run-work.ts";
import { Run } from "../run/run.ts";
import { observeMemory } from "../memory/observe-memory.ts";
import { factOwnerId } from "../memory/agent-user-memory.ts";
import type { ExtractOptions } from "../memory/user-memory.ts";
import { createId } from "../../base/util/create-id.ts";
import { isRecord } from "../../base/util/is-record.ts";
import type { AgentParts } from "./agent-parts.ts";

/**
 * Starts to extract facts about the user from a finished run into the user memory, if the agent has a user memory. The
 * extraction has its own run id and usage. Returns immediately: the work begins after the answer is announced, and only
 * callers of the memory's `flush` wait for it. A failure is logged.
 */
export function extractFacts(parts: AgentParts, finished: Run): void {
  const { userMemory } = parts.config;
  if (userMemory === undefined || userMemory.enabled === false || finished.settings.userId === undefined) return;
  const extraction = afterwards(() => runExtraction(parts, finished));
  userMemory.track?.(extraction);
}

async function afterwards(work: () => Promise<unknown>): Promise<void> {
  await new Promise((resolve) => void setImmediate(resolve));
  await work();
}

async function runExtraction(parts: AgentParts, finished: Run): Promise<void> {
  const { settings, runId: parentRunId, input, messages } = finished;
  const { name } = parts.config;
  const { model = parts.config.model } = settings;
  const run = new Run({
    name,
    input,
    // The new run follows the finished run and is not its child: they share no signal, deadline or usage.
    settings: {
      ...settings,
      runId: createId(),
      signals: [],
      parentRunId,
      delegationId: undefined,
      parentMeter: undefined,
    },
    eventBus: parts.eventBus,
    logger: parts.logger,
    model,
  });
  const work = new FactExtraction(parts, run, [{ role: "user", content: input }, ...messages]);
  try {
    await new RunExecution(run, work).run();
  } catch (error) {
    finished.warn("facts_not_extracted", "No facts could be extracted from the conversation.", { error });
  }
}

class FactExtraction implements RunWork {
  readonly kind = "facts";
  readonly #parts: AgentParts;
  readonly #run: Run;
  readonly #conversation: readonly ChatMessage[];

  constructor(parts: AgentParts, run: Run, conversation: readonly ChatMessage[]) {
    this.#parts = parts;
    this.#run = run;
    this.#conversation = conversation;
  }

  async begin(): Promise<AsyncGenerator<StreamChunk, FinishReason>> {
    return this.#extract();
  }

  async *#extract(): AsyncGenerator<StreamChunk, FinishReason> {
    yield* [];
    const { userMemory, storage } = this.#parts.config;
    if (userMemory === undefined) return "stop";
    const run = this.#run;
    const { model = this.#parts.config.model } = run.settings;
    const { userId = "", tenantId, verified } = run.settings;
    const scope = { tenantId, verified, storage, signal: run.signal };
    const conversation = [...this.#conversation];
    const options = {
      ...scope,
      logger: run.logger,
      apiKeyFor: (providerId) => run.keyFor(providerId),
      onUsage: (usage) => run.meter.add(usage),
      onModelCall: (called) => run.modelCalls.begin(called),
      telemetry: run.settings.telemetry,
      onWarning: (code, message, fields) => run.warn(code, message, fields),
    } satisfies ExtractOptions;
    const owner = factOwnerId(userMemory, userId, scope);
    const extract = async () => await userMemory.extractAndStore(owner, conversation, model, options);
    const { telemetry } = run.settings;
    const found = await (telemetry === undefined
      ? extract()
      : observeMemory(telemetry, { action: "upsert", store: "facts" }, extract));
    run.text = factTexts(found).join("\n");
    return "stop";
  }
}

/** Returns the texts of the facts that a user memory returned. A third party's memory may return anything. */
function factTexts(found: unknown): string[] {
  const facts: unknown[] = Array.isArray(found) ? found : [];
  return facts.flatMap((fact) => (isRecord(fact) && typeof fact["fact"] === "string" ? [fact["fact"]] : []));
}
