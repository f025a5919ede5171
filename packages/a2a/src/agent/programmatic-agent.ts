import { EventBus, TroupeError } from "@troupe/core";
import type {
  Artifact,
  Logger,
  MessageContent,
  Runnable,
  RunContext,
  RunOpts,
  CompleteRunOutput,
  RunStream,
} from "@troupe/core";
import type { StreamChunk, ToolEffect } from "@troupe/core";
import {
  stringOption,
  functionOption,
  loggerOption,
  nonBlankString,
  oneOf,
  optional,
  readOptions,
} from "@troupe/core/kit";
import { checkContent, resolveRunOpts, Run, RunExecution } from "@troupe/core/transport";
import type { OptionTable } from "@troupe/core/kit";
import type { RunWork } from "@troupe/core/transport";
import { fromContent } from "../wire/content.ts";
import type { A2AMessage } from "../wire/task.ts";
import { readA2ARequest } from "./a2a-request.ts";
import { isObject, toParts } from "./parts.ts";
import type { A2AContent } from "./parts.ts";
import { readAnswered, toAsked } from "./question.ts";
import { readReply } from "./reply.ts";
import type { A2AReply } from "./reply.ts";

/** A task that a `ProgrammaticAgent` answers. */
export type AgentTask = {
  /** The message that began the task. Its data parts are JSON text. */
  readonly message: A2AMessage;
  /** The facts of the run: ids, user, metadata, signal and logger. */
  readonly context: RunContext;
  /**
   * Asks the client a question: the task becomes `input-required`. Resolves with the client's next message to the task.
   * Works only in runs of a `RunService`, such as all tasks of `createA2AServer`; elsewhere it rejects with
   * `invalid_config`.
   */
  readonly ask: (question: A2AContent) => Promise<A2AMessage>;
};

/** A value that a `ProgrammaticAgent` yields: a piece of the text of its answer, or an artifact of `createArtifact`. */
export type ProgrammaticAgentChunk = string | Artifact;

/** Options of `ProgrammaticAgent`. */
export type ProgrammaticAgentOptions = {
  /** The name of the agent in its card and its paths. */
  name: string;
  /** The purpose, for the agent card. */
  description?: string | undefined;
  /**
   * Answers a message. A generator, or an async function that only ends the task. It starts again after each answer to
   * `ask` and after a restart; `ask` then resolves immediately for earlier questions. Yield the same values again:
   * clients get each value once. Return nothing, or a reply that ends the task.
   */
  answer(task: AgentTask): AsyncGenerator<ProgrammaticAgentChunk, A2AReply | void, void> | Promise<A2AReply | void>;
  /**
   * The effect of executing a whole run of the agent (see `ToolEffect`), used if the run is a step of a durable run.
   * @default "once"
   */
  effect?: ToolEffect | undefined;
  /** Receives the log of the agent's runs. @default the logger of the parent run, or none */
  logger?: Logger | undefined;
};

const optionTable = {
  name: nonBlankString(),
  description: optional(stringOption),
  answer: functionOption<ProgrammaticAgentOptions["answer"]>(),
  effect: optional(oneOf("pure", "idempotent", "once")),
  logger: optional(loggerOption),
} satisfies OptionTable<ProgrammaticAgentOptions>;

/**
 * An agent written as a program: a generator that answers a message with text, artifacts and questions, and decides how
 * its task ends. Like every runnable, it can be served over all protocols and be a member of a team.
 */
export class ProgrammaticAgent implements Runnable {
  readonly name: string;
  readonly description: string | undefined;
  readonly kind = "agent";
  readonly effect: ToolEffect | undefined;
  readonly eventBus = new EventBus();
  readonly #answer: ProgrammaticAgentOptions["answer"];
  readonly #logger: Logger | undefined;

  /** Throws `invalid_config` for a wrong or unknown option. */
  constructor(options: ProgrammaticAgentOptions) {
    const { name, description, answer, effect, logger } = readOptions(optionTable, options, {
      owner: "ProgrammaticAgent",
    });
    this.name = name;
    this.description = description;
    this.effect = effect;
    this.#answer = answer;
    this.#logger = logger;
  }

  async run(input: MessageContent, opts?: RunOpts): Promise<CompleteRunOutput> {
    return await this.#execute(input, opts).run();
  }

  stream(input: MessageContent, opts?: RunOpts): RunStream<CompleteRunOutput> {
    return this.#execute(input, opts);
  }

  #execute(input: MessageContent, opts: RunOpts | undefined): RunExecution<unknown> {
    const { name, eventBus } = this;
    const settings = resolveRunOpts(opts);
    const run = new Run({ name, input: checkContent(input), settings, eventBus, logger: this.#logger });
    return new RunExecution(run, new TaskAgentRun(run, this.#answer));
  }
}

/** Performs one run of a `ProgrammaticAgent`. */
class TaskAgentRun implements RunWork {
  readonly isStructured = false;
  readonly #run: Run;
  readonly #answer: ProgrammaticAgentOptions["answer"];
  #asked = 0;
  #made = 0;

  constructor(run: Run, answer: ProgrammaticAgentOptions["answer"]) {
    this.#run = run;
    this.#answer = answer;
  }

  begin(): ReturnType<RunWork["begin"]> {
    return Promise.resolve(this.#chunks());
  }

  async *#chunks(): AsyncGenerator<StreamChunk, "stop"> {
    const { context } = this.#run;
    const said = this.#answer({ message: this.#message(), context, ask: (question) => this.#ask(question) });
    const reply = isObject(said) && Symbol.asyncIterator in said ? yield* this.#takeAll(said) : await said;
    if (reply !== undefined) yield* this.#takeReply(reply);
    const { messages, text } = this.#run;
    if (text !== "") messages.push({ role: "assistant", content: text });
    return "stop";
  }

  async *#takeAll(
    pieces: AsyncGenerator<ProgrammaticAgentChunk, A2AReply | void, void>,
  ): AsyncGenerator<StreamChunk, unknown> {
    try {
      for (;;) {
        const { done, value } = await pieces.next();
        if (done === true) return value;
        yield* this.#take(value);
      }
    } finally {
      await pieces.return();
    }
  }

  #message(): A2AMessage {
    const { runId: taskId, sessionId: contextId } = this.#run.context;
    const { messageId = taskId, acceptedOutputModes: _, ...rest } = readA2ARequest(this.#run.context) ?? {};
    return { messageId, role: "user", parts: fromContent(this.#run.input), ...rest, taskId, contextId };
  }

  *#take(piece: unknown): Generator<StreamChunk, void> {
    if (typeof piece === "string") yield* this.#takeText(piece);
    else if (isObject(piece) && typeof piece["type"] === "string" && piece["data"] !== undefined) {
      yield this.#record(piece as Artifact);
    } else {
      throw new TroupeError(
        "invalid_value",
        "answer of a ProgrammaticAgent must yield strings, and artifacts of createArtifact.",
      );
    }
  }

  *#takeText(text: string): Generator<StreamChunk, void> {
    if (text === "") return;
    this.#run.noteToken();
    this.#run.text += text;
    yield { type: "text", text };
  }

  *#takeReply(reply: unknown): Generator<StreamChunk, void> {
    const { content, artifacts } = (isObject(reply) ? reply : {}) as Partial<A2AReply>;
    const artifact = Array.isArray(artifacts) && readReply(artifacts) !== undefined ? artifacts[0] : undefined;
    if (artifact === undefined || typeof content !== "string") {
      const expected = "rejectedReply(…), completedReply(…) or messageReply(…)";
      throw new TroupeError("invalid_value", `answer of a ProgrammaticAgent must return nothing, or ${expected}.`);
    }
    yield this.#record(artifact);
    // A reply without earlier text: other protocols show its content as the text of the answer.
    if (this.#run.text === "") yield* this.#takeText(content);
  }

  /** Records an artifact as the result of a tool call that exists only for this artifact. */
  #record(artifact: Artifact): StreamChunk {
    const call = {
      toolCallId: `made-${this.#made++}`,
      toolName: this.#run.context.agentName,
      result: "",
      durationMs: 0,
    };
    const artifacts = [artifact];
    this.#run.toolCalls.push({ ...call, args: {}, artifacts });
    return { type: "tool_result", ...call, artifacts };
  }

  async #ask(question: A2AContent): Promise<A2AMessage> {
    const { steps, context } = this.#run;
    const about = toAsked(toParts(question, "question"));
    if (steps.durable === undefined) {
      const message =
        "ask of a ProgrammaticAgent needs a run that can wait: run the agent in a RunService, as createA2AServer does.";
      throw new TroupeError("invalid_config", message);
    }
    const answer = await steps.wait(`ask/${this.#asked++}`, { kind: "input", about });
    return readAnswered(answer, { taskId: context.runId, contextId: context.sessionId });
  }
}
