import { TroupeError } from "../../base/errors/troupe-error.ts";
import { nested } from "../../base/errors/option-checks.ts";
import type { OptionCheck } from "../../base/errors/read-options.ts";
import { askMemoryModel } from "../memory/ask-memory-model.ts";
import { dataBlock } from "../memory/data-block.ts";
import { toTranscript } from "../memory/transcript.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import type { FinishReason } from "../../model/model-chunk.ts";
import { modelOption } from "../../model/model-option.ts";
import type { ModelProvider } from "../../model/model-provider.ts";
import { RunExecution } from "../run/run-execution.ts";
import { ownerOf } from "../run/run-options.ts";
import type { RunWork } from "../run/run-work.ts";
import { Run } from "../run/run.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { isMemberSessionId } from "../../sessions/session/session-id.ts";
import { toTitle } from "../../sessions/session/session-title.ts";
import { createId } from "../../base/util/create-id.ts";
import type { TitleConfig } from "./agent-config.ts";
import type { AgentParts } from "./agent-parts.ts";

/** Check of the option `titles` of agents and teams. */
export const titlesOption = nested({ model: modelOption }) as OptionCheck<TitleConfig>;

const instructions =
  "You give conversations their titles. Read how this one begins, and answer with a title of at most six words in the " +
  "language of the user: plain text, no quotes, no full stop, nothing else.";

/**
 * Starts to make a session's title after its first turn is stored, by the model of the option `titles`, if it is given.
 * This work has its own run id and usage. Returns immediately: the work begins after the answer is announced, and only
 * callers of the sessions' `flush` wait for it. A failure is a warning of the finished run.
 */
export function makeTitle(parts: AgentParts, finished: Run): void {
  const { titles } = parts.config;
  if (titles === undefined || isMemberSessionId(finished.settings.sessionId)) return;
  const cancel = new AbortController();
  const source = { model: titles.model, signal: cancel.signal };
  const work = new Promise((resolve) => void setImmediate(resolve)).then(() => runTitle(parts, finished, source));
  parts.sessions.track(work, () => cancel.abort());
}

async function runTitle(
  parts: AgentParts,
  finished: Run,
  { model, signal }: { model: ModelProvider; signal: AbortSignal },
): Promise<void> {
  const { settings, runId: parentRunId, input, messages } = finished;
  const run = new Run({
    name: parts.config.name,
    input,
    // The new run follows the finished run and is not its child: they share no signal, deadline or usage.
    settings: {
      ...settings,
      runId: createId(),
      signals: [signal],
      parentRunId,
      delegationId: undefined,
      parentMeter: undefined,
    },
    eventBus: parts.eventBus,
    logger: parts.logger,
    model,
  });
  const conversation: ChatMessage[] = [{ role: "user", content: input }, ...messages];
  try {
    await new RunExecution(run, new TitleRun(parts, run, { model, conversation })).run();
  } catch (error) {
    finished.warn("title_not_made", "The model could not make a title for the session.", { error });
  }
}

/** The work of a run that makes a title: one model call and one write. */
class TitleRun implements RunWork {
  readonly kind = "title";
  readonly #parts: AgentParts;
  readonly #run: Run;
  readonly #source: { model: ModelProvider; conversation: readonly ChatMessage[] };

  constructor(parts: AgentParts, run: Run, source: { model: ModelProvider; conversation: readonly ChatMessage[] }) {
    this.#parts = parts;
    this.#run = run;
    this.#source = source;
  }

  async begin(): Promise<AsyncGenerator<StreamChunk, FinishReason>> {
    return this.#make();
  }

  async *#make(): AsyncGenerator<StreamChunk, FinishReason> {
    yield* [];
    const run = this.#run;
    const title = toTitle(await this.#ask());
    if (title === undefined) throw new TroupeError("model_failed", "The model answered with an empty title.");
    run.text = title;
    const { settings, signal } = run;
    await this.#parts.sessions.setModelTitle(settings.sessionId, title, { owner: ownerOf(settings), signal });
    return "stop";
  }

  async #ask(): Promise<string> {
    const { model, conversation } = this.#source;
    const run = this.#run;
    const about = "The beginning of a conversation.";
    const answer = await askMemoryModel({
      model,
      messages: [
        { role: "system", content: instructions },
        { role: "user", content: dataBlock({ tag: "conversation", about, lines: toTranscript(conversation) }) },
      ],
      signal: run.signal,
      apiKeyFor: (providerId) => run.keyFor(providerId),
      onUsage: (usage) => run.meter.add(usage),
      onModelCall: (called) => run.modelCalls.begin(called),
      telemetry: run.settings.telemetry,
    });
    return answer.trim().replaceAll(/^["“„«']+|["”“»'.]+$/g, "");
  }
}
