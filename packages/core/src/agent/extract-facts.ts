import type { MessageContent } from "../message/content.ts";
import type { ChatMessage } from "../message/message.ts";
import type { FinishReason, StreamChunk } from "../model/stream-chunk.ts";
import { keyFor } from "../run/run-context.ts";
import { RunExecution } from "../run/run-execution.ts";
import type { ActiveRun, RunWork } from "../run/run-work.ts";
import type { AgentParts } from "./agent-parts.ts";

/**
 * Looks for facts about the user in what was just said, in a run of its own with its own account. It begins when the answer
 * has been given out, so that nobody waits for it but who calls the memory's `flush`.
 */
export function extractFacts(parts: AgentParts, answered: ActiveRun): void {
  const { userMemory } = parts.config;
  if (userMemory?.enabled !== true || answered.request.userId === undefined) return;
  userMemory.track(afterwards(() => runExtraction(parts, answered)));
}

async function afterwards(work: () => Promise<unknown>): Promise<void> {
  await new Promise((resolve) => void setImmediate(resolve));
  await work();
}

async function runExtraction(parts: AgentParts, { request, context, record }: ActiveRun): Promise<void> {
  const { name, model } = parts.config;
  const input: MessageContent = record.input;
  const conversation: ChatMessage[] = [{ role: "user", content: input }, ...record.messages];
  const extraction = new RunExecution({
    name,
    input,
    // Nobody cancels it with the run that it follows, and its cost is no part of that run's.
    request: { ...request, signals: [], parentRunId: context.runId, parentMeter: undefined },
    eventBus: parts.eventBus,
    logger: parts.logger,
    model,
    work: (run) => new FactExtraction(parts, run, conversation),
  });
  try {
    await extraction.run();
  } catch (error) {
    context.logger.warn("No facts could be gathered from the conversation.", { error });
  }
}

class FactExtraction implements RunWork {
  readonly #parts: AgentParts;
  readonly #run: ActiveRun;
  readonly #conversation: readonly ChatMessage[];

  constructor(parts: AgentParts, run: ActiveRun, conversation: readonly ChatMessage[]) {
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
    const { request, context, meter, record } = this.#run;
    const { userId = "", tenantId } = request;
    const facts = await userMemory?.extractAndStore(userId, this.#conversation, model, {
      tenantId,
      signal: context.signal,
      logger: context.logger,
      apiKeyFor: (providerId) => keyFor(context, providerId),
      onUsage: (usage) => meter.add(usage),
    });
    record.text = (facts ?? []).map(({ fact }) => fact).join("\n");
    return "stop";
  }
}
