import { TroupeError } from "@troupe/core";
import type { RunWait, StreamChunk, TokenUsage } from "@troupe/core";
import type { RunEvent } from "@troupe/core/runs";
import { parseArguments } from "@troupe/core/kit";
import { toPublicChunk, toPublicFailure, toPublicWait, wasToolCallDenied } from "@troupe/core/transport";
import { MessageSteps, modelStep } from "./message-steps.ts";
import { toArtifactChunk, toClientJson, toFinishChunk, toSourceChunk, toUiOutput } from "./ui-chunk.ts";
import type { SourceChunk, UiChunk } from "./ui-chunk.ts";

/** A tool call of a UI message. */
type Call = {
  readonly id: string;
  readonly name: string;
  /** The journal step of the model call that made this tool call; empty for a run without a journal. */
  readonly step: string;
  args: string;
  isAvailable: boolean;
  isSettled: boolean;
  /**
   * True for a call that does not start in the stream, such as a call inside a team member or an agent used as a tool.
   */
  readonly isInner: boolean;
  /** The id of the last question about the tool call. */
  waitId?: string;
  /** The id of the approval question about the tool call that has no answer yet. */
  approvalId?: string | undefined;
};

const continuesElsewhere = "Another process continues the answer. Load the chat again to see it.";

/**
 * Turns the events of a run into one message of the AI SDK's UI message stream. Every reader gets the same chunks from
 * the run's beginning. Each model call is a step of the message, with its tool calls and their results.
 */
export class UiMessage {
  readonly #runId: string;
  readonly #emit: (chunk: UiChunk) => void;
  readonly #mayReset: () => boolean;
  readonly #steps: MessageSteps;
  readonly #calls = new Map<string, Call>();
  /** The ids of the questions in the message whose tool calls have no result yet. */
  readonly #waits = new Set<string>();
  #finish: Extract<StreamChunk, { type: "finish" }> | undefined;

  /** @param mayReset returns false if the client cannot undo a step that it has seen */
  constructor(runId: string, emit: (chunk: UiChunk) => void, mayReset: () => boolean = () => true) {
    this.#runId = runId;
    this.#emit = emit;
    this.#mayReset = mayReset;
    this.#steps = new MessageSteps(emit);
  }

  /** True if the run may be waiting for an answer: the message has a question whose tool call has no result yet. */
  get mayWait(): boolean {
    return this.#waits.size > 0;
  }

  /** Returns true if the message contains this question and its tool call has no result yet. */
  has(waitId: string): boolean {
    return this.#waits.has(waitId);
  }

  /** Adds the next event of the run to the UI message. `finish` and `fail` take the run's end. */
  take(event: RunEvent): void {
    switch (event.type) {
      case "chunk":
        return this.#takeChunk(event.step, toPublicChunk(event.chunk as StreamChunk));
      case "wait":
        return this.#takeWait(event.wait);
      case "call":
        return this.#approve(placeOf(event.step));
      case "done":
        return modelStep.test(event.step) ? this.#completeStep(event.step) : this.#settleInner(placeOf(event.step));
      case "reset":
        return this.#reset(event.step);
      default:
        return undefined;
    }
  }

  /** Ends the response but not the UI message, which continues once the questions are answered. */
  pause(): void {
    this.leaveStep();
    this.#emit({ type: "finish", finishReason: "tool-calls" });
  }

  /** Completes the arguments of all tool calls, and closes the message's open step. */
  leaveStep(): void {
    for (const call of this.#calls.values()) this.#complete(call);
    this.#steps.leave();
  }

  /** Ends the UI message of a completed run. */
  finish(usage: TokenUsage | undefined): void {
    // An empty step is added: a client that sends tool results automatically would otherwise send the results of the
    // last step again.
    if (this.#steps.hasOutput) this.#steps.begin("");
    this.leaveStep();
    this.#emit(toFinishChunk(this.#finish?.finishReason, usage ?? this.#finish?.usage));
  }

  /**
   * Ends the message with an error, whose code and other facts are in the metadata. A cancelled run ends it with an
   * `abort` chunk instead.
   */
  fail(error: TroupeError): void {
    const { message, ...facts } = toPublicFailure(error);
    this.#steps.close();
    if (error.code === "cancelled") return this.#emit({ type: "abort", reason: message });
    this.#emit({ type: "message-metadata", messageMetadata: { error: toClientJson(facts) } });
    this.#emit({ type: "error", errorText: message });
  }

  #takeChunk(step: string, chunk: StreamChunk | undefined): void {
    switch (chunk?.type) {
      case "text":
      case "thinking":
        this.#completeCall(chunk.delegationId);
        return this.#steps.write(chunk, step);
      case "tool_call_start":
        return this.#startCall(chunk.toolCall, step);
      case "tool_call_delta":
        return this.#stringifyArguments(chunk.toolCallId, chunk.argumentsDelta);
      case "tool_progress": {
        const { type: _, ...data } = chunk;
        return this.#emit({ type: "data-tool-progress", data: toClientJson(data), transient: true });
      }
      case "tool_result":
        return this.#takeResult(chunk);
      case "source":
        return this.#takeSource(chunk);
      case "finish":
        this.#finish = chunk;
        return undefined;
      default:
        return undefined;
    }
  }

  #startCall({ id, name }: { id: string; name: string }, step: string): void {
    if (this.#calls.has(id)) return;
    this.#steps.enter(step);
    this.#steps.close();
    this.#calls.set(id, { id, name, step, args: "", isAvailable: false, isSettled: false, isInner: false });
    this.#emit({ type: "tool-input-start", toolCallId: id, toolName: name });
  }

  #stringifyArguments(toolCallId: string, inputTextDelta: string): void {
    const call = this.#calls.get(toolCallId);
    if (call === undefined || call.isAvailable) return;
    call.args += inputTextDelta;
    this.#emit({ type: "tool-input-delta", toolCallId, inputTextDelta });
  }

  #takeResult(chunk: Extract<StreamChunk, { type: "tool_result" }>): void {
    const { toolCallId, toolName, error, artifacts = [] } = chunk;
    const call = this.#calls.get(toolCallId) ?? this.#addCall({ id: toolCallId, name: toolName, args: {} });
    this.#complete(call);
    call.approvalId = undefined;
    if (wasToolCallDenied(chunk)) this.#emit({ type: "tool-output-denied", toolCallId });
    else if (error !== undefined) this.#emit({ type: "tool-output-error", toolCallId, errorText: error });
    else this.#emit({ type: "tool-output-available", toolCallId, output: toUiOutput(chunk.result) });
    this.#settle(call);
    for (const artifact of artifacts) this.#emit(toArtifactChunk({ ...artifact, toolCallId, toolName }));
  }

  #takeSource(source: SourceChunk): void {
    this.#steps.ensure();
    this.#emit(toSourceChunk(source));
  }

  #takeWait(wait: RunWait): void {
    const { id, kind, toolCallId } = wait;
    if (this.#waits.has(id)) return;
    this.#waits.add(id);
    if (toolCallId === undefined || (kind !== "approval" && kind !== "input")) {
      this.#steps.ensure();
      const data = toClientJson({ runId: this.#runId, ...toPublicWait(wait) });
      return this.#emit({ type: "data-wait", id, data });
    }
    const call = this.#askedCall(wait, toolCallId);
    call.waitId = id;
    this.#complete(call);
    if (kind === "input") return undefined;
    call.approvalId = id;
    this.#emit({ type: "tool-approval-request", approvalId: id, toolCallId: call.id });
  }

  /**
   * Returns the call that a question is about: a call of the stream or of a child run. A call of a child run may have
   * the same id as a call of the stream; it is then shown under the question's id.
   */
  #askedCall({ id, about }: RunWait, toolCallId: string): Call {
    const { toolName: name = "tool", args = {} } = about as { toolName?: string; args?: object };
    const known = this.#calls.get(toolCallId);
    if (known?.name === name) return known;
    return this.#addCall({ id: known === undefined ? toolCallId : id, name, args });
  }

  /**
   * Records that an approval question is answered, without a chunk. Version 6 of the SDK does not know the chunk for an
   * approval and drops the whole stream, and requests do not reveal the SDK's version. The later output or denial of
   * the call shows the answer.
   */
  #approve(approvalId: string): void {
    const call = [...this.#calls.values()].find((each) => each.approvalId === approvalId);
    if (call !== undefined) call.approvalId = undefined;
  }

  /**
   * Settles the call of a child run, whose result only the child run gets. A call that was not executed counts as
   * denied.
   */
  #settleInner(place: string): void {
    const isOfPlace = ({ waitId }: Call): boolean => waitId === place || waitId?.startsWith(`${place}.`) === true;
    const call = [...this.#calls.values()].find((each) => each.isInner && !each.isSettled && isOfPlace(each));
    if (call === undefined) return;
    const isDenied = call.approvalId !== undefined;
    this.#approve(place);
    const toolCallId = call.id;
    this.#emit(
      isDenied
        ? { type: "tool-output-denied", toolCallId }
        : { type: "tool-output-available", toolCallId, output: null },
    );
    this.#settle(call);
  }

  #settle(call: Call): void {
    call.isSettled = true;
    this.#steps.closeMembers(call.id);
    this.#steps.hasOutput = true;
    if (call.waitId !== undefined) this.#waits.delete(call.waitId);
  }

  /**
   * Adds a tool call that does not start in the stream. Such calls get a step of their own, because a page sends its
   * answers when all calls of the last step are answered.
   */
  #addCall({ id, name, args }: { id: string; name: string; args: object }): Call {
    this.#steps.enterInner();
    const call: Call = { id, name, step: "", args: "", isAvailable: true, isSettled: false, isInner: true };
    this.#calls.set(id, call);
    this.#emit({ type: "tool-input-available", toolCallId: id, toolName: name, input: toClientJson(args) });
    return call;
  }

  #completeStep(step: string): void {
    for (const call of this.#calls.values()) if (call.step === step) this.#complete(call);
  }

  /** Completes the arguments of the call that delegated to the member who speaks now. */
  #completeCall(id: string | undefined): void {
    const call = id === undefined ? undefined : this.#calls.get(id);
    if (call !== undefined) this.#complete(call);
  }

  /** Emits the complete arguments of a tool call once, or an error if they are not a JSON object. */
  #complete(call: Call): void {
    if (call.isAvailable) return;
    call.isAvailable = true;
    const named = { toolCallId: call.id, toolName: call.name };
    const parsed = parseArguments(call.args);
    if (parsed.ok) this.#emit({ type: "tool-input-available", ...named, input: toClientJson(parsed.value) });
    else
      this.#emit({
        type: "tool-input-error",
        ...named,
        input: call.args,
        errorText: "The arguments are no JSON object.",
      });
  }

  /**
   * Removes the model's output in a step of the UI message, because another process produces it again. Throws
   * `interrupted` if the client cannot undo the step.
   */
  #reset(step: string): void {
    if (!modelStep.test(step) || !this.#steps.isIn(step)) return;
    if (!this.#mayReset()) throw new TroupeError("interrupted", continuesElsewhere);
    this.#steps.reset();
    for (const [id, call] of this.#calls) if (call.step === step) this.#calls.delete(id);
  }
}

/** Returns the name of a journal step as it is written in the ids of questions: with a dot for each slash. */
function placeOf(step: string): string {
  return step.replaceAll("/", ".");
}
