import { cutText } from "@troupe/core/kit";
import { getTextContent, TroupeError } from "@troupe/core";
import type { StreamChunk } from "@troupe/core";
import type { Run, RunWork } from "@troupe/core/transport";
import { fromContent } from "../wire/content.ts";
import { RemoteAnswer } from "./remote-answer.ts";
import type { RemoteCards } from "./remote-cards.ts";
import type { RemoteContexts } from "./remote-contexts.ts";
import { RemoteExchange } from "./remote-exchange.ts";
import { toRemoteError } from "./remote-failure.ts";
import type { RemoteHttp } from "./remote-http.ts";
import { noInterface } from "./remote-interfaces.ts";

/** Objects that all runs of one remote agent share. */
export type RemoteParts = {
  readonly http: RemoteHttp;
  readonly cards: RemoteCards;
  readonly contexts: RemoteContexts;
  readonly maxBytes: number;
  readonly name: () => string;
};

/** The reason for which a run ended, in the form in which the function that performs the run returns it. */
type FinishReason = Extract<StreamChunk, { type: "finish" }>["finishReason"];

/**
 * Performs one run of a remote agent: sends the input, streams the answer, and cancels the task when the run ends
 * early.
 */
export class RemoteRun implements RunWork {
  readonly isStructured = false;
  readonly kind = "remote";
  readonly #parts: RemoteParts;
  readonly #run: Run;
  readonly #exchange: RemoteExchange;
  readonly #answer: RemoteAnswer;

  constructor(parts: RemoteParts, run: Run) {
    this.#parts = parts;
    this.#run = run;
    this.#answer = new RemoteAnswer(parts.maxBytes);
    const { card } = parts.cards;
    const modes = card?.["defaultOutputModes"];
    this.#exchange = new RemoteExchange({
      // Every attempt at a durable run sends the same id, so that an agent can recognise a message that it already has.
      message: { messageId: run.runId, role: "user", parts: fromContent(run.input) },
      context: parts.contexts.find(run.settings),
      outputModes: isModes(modes) ? modes : undefined,
    });
  }

  begin(): Promise<AsyncGenerator<StreamChunk, FinishReason>> {
    return Promise.resolve(this.#read());
  }

  /** Cancels the remote task, which would otherwise continue without a reader. A failure to cancel is a warning. */
  async saveInterrupted(): Promise<void> {
    try {
      await this.#exchange.cancel();
    } catch (error) {
      const message = "The task of a remote agent could not be cancelled. It may go on.";
      this.#run.warn("remote_not_cancelled", message, { error: toRemoteError(error, this.#parts.name()) });
    }
  }

  release(): void {
    this.#exchange.close();
  }

  async *#read(): AsyncGenerator<StreamChunk, FinishReason> {
    const [run, answer] = [this.#run, this.#answer];
    try {
      for await (const event of this.#exchange.events(await this.#route())) {
        const text = answer.take(event);
        run.text = answer.artifactText;
        if (text === "") continue;
        run.noteToken();
        yield { type: "text", text };
      }
      yield* this.#finish();
      return "stop";
    } catch (error) {
      throw toRemoteError(error, this.#parts.name());
    }
  }

  async #route() {
    const { cards, http, name } = this.#parts;
    const { context, settings, signal } = this.#run;
    const endpoints = await cards.endpoints(context, signal);
    if (endpoints.length === 0) throw noInterface(name());
    const own = await http.readHeaders(context, signal);
    signal.throwIfAborted();
    // An origin that is only in the agent's card, and not in the host's options, gets no trace headers.
    const telemetry = endpoints.every(({ at }) => http.isTrusted(at.url)) ? settings.telemetry : undefined;
    const users = telemetry === undefined ? own : { ...telemetry.headers(), ...own };
    return { endpoints, users, note: (endpoint: (typeof endpoints)[number]) => cards.note(endpoint) };
  }

  *#finish(): Generator<StreamChunk, void> {
    const [run, answer] = [this.#run, this.#answer];
    this.#parts.contexts.keep(run.settings, this.#exchange.context);
    this.#countUsage();
    this.#checkState();
    const streamed = run.text;
    run.text = answer.text;
    run.structured = answer.structured;
    const rest = run.text.startsWith(streamed) ? run.text.slice(streamed.length) : "";
    if (rest !== "") {
      run.noteToken();
      yield { type: "text", text: rest };
    }
    yield* this.#showArtifacts();
    run.messages.push({ role: "assistant", content: run.text });
  }

  #countUsage(): void {
    const { usage, usageProblem } = this.#answer;
    if (usage !== undefined) this.#run.meter.add(usage);
    if (usageProblem === undefined) return;
    const remote = this.#parts.name();
    const message = `The usage that the remote agent ${JSON.stringify(remote)} reported ${usageProblem}.`;
    this.#run.warn("usage_unsound", message, { remote });
  }

  /** Yields the files and the data of the remote answer as the result of a tool named after the agent. */
  *#showArtifacts(): Generator<StreamChunk, void> {
    const { artifacts } = this.#answer;
    if (artifacts.length === 0) return;
    const [toolCallId, toolName] = [`${this.#run.runId}.files`, this.#parts.name()];
    const result = artifacts.map(({ type }) => type).join(", ");
    const made = { toolCallId, toolName, result, durationMs: 0, artifacts };
    this.#run.toolCalls.push({ ...made, args: {} });
    yield { type: "tool_call_start", toolCall: { id: toolCallId, name: toolName } };
    yield { type: "tool_result", ...made };
    yield { type: "tool_call_end", toolCallId };
  }

  /** Throws if the remote task failed, was rejected or cancelled, or waits for credentials. */
  #checkState(): void {
    const { status } = this.#answer;
    if (status === undefined) return;
    const name = JSON.stringify(this.#parts.name());
    const fields = { remote: this.#parts.name(), state: status.state };
    const told = getTextContent(status.message?.parts.flatMap(toText).join("") ?? "");
    const said = cutText(told, longestCause);
    const options = { fields, ...(said !== "" && { cause: new Error(said) }) };
    switch (status.state) {
      case "failed":
        throw new TroupeError("model_failed", `The task of the remote agent ${name} failed.`, options);
      case "rejected":
        throw new TroupeError("guardrail_blocked", `The remote agent ${name} rejected the task.`, options);
      case "canceled":
        throw new TroupeError("cancelled", `The task was cancelled at the remote agent ${name}.`, options);
      case "auth-required": {
        const message = `The remote agent ${name} asks for further credentials in the middle of its task. Check headers.`;
        throw new TroupeError("model_failed", message, options);
      }
      default:
    }
  }
}

/** Longest text of a remote agent that is kept as the cause of an error, in characters. */
const longestCause = 1000;

function toText(part: { kind: string; text?: string }): string[] {
  return part.text === undefined ? [] : [part.text];
}

function isModes(modes: unknown): modes is string[] {
  return Array.isArray(modes) && modes.length > 0 && modes.every((mode) => typeof mode === "string");
}
