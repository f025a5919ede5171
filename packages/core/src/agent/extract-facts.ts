import type { ChatMessage } from "../message/message.ts";
import type { FinishReason } from "../model/model-chunk.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { RunExecution } from "../run/run-execution.ts";
import type { RunWork } from "../run/run-work.ts";
import { Run } from "../run/run.ts";
import { createId } from "../util/create-id.ts";
import type { AgentParts } from "./agent-parts.ts";

/**
 * Looks for facts about the user in what was just said, in a run of its own with its own account. It begins when the answer
 * has been given out, so that nobody waits for it but who calls the memory's `flush`.
 */
export function extractFacts(parts: AgentParts, answered: Run): void {
  const { userMemory } = parts.config;
  if (userMemory?.enabled !== true || answered.settings.userId === undefined) return;
  userMemory.track(afterwards(() => runExtraction(parts, answered)));
}

async function afterwards(work: () => Promise<unknown>): Promise<void> {
  await new Promise((resolve) => void setImmediate(resolve));
  await work();
}

async function runExtraction(parts: AgentParts, answered: Run): Promise<void> {
  const { name, model } = parts.config;
  const { settings, runId: parentRunId, input, messages, logger } = answered;
  const run = new Run({
    name,
    input,
    // It follows the run and is no part of it: neither is it cancelled with it, nor does it count for it.
    settings: { ...settings, runId: createId(), signals: [], parentRunId, parentMeter: undefined },
    eventBus: parts.eventBus,
    logger: parts.logger,
    model,
  });
  const work = new FactExtraction(parts, run, [{ role: "user", content: input }, ...messages]);
  try {
    await new RunExecution(run, work).run();
  } catch (error) {
    logger.warn("No facts could be gathered from the conversation.", { error });
  }
}

class FactExtraction implements RunWork {
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
    const { userMemory, model } = this.#parts.config;
    const run = this.#run;
    const { userId = "", tenantId } = run.settings;
    const facts = await userMemory?.extractAndStore(userId, this.#conversation, model, {
      tenantId,
      signal: run.signal,
      logger: run.logger,
      apiKeyFor: (providerId) => run.keyFor(providerId),
      onUsage: (usage) => run.meter.add(usage),
    });
    run.text = (facts ?? []).map(({ fact }) => fact).join("\n");
    return "stop";
  }
}
