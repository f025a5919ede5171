import type { RunWait, StreamChunk, TokenUsage, TroupeError } from "@troupe/core";
import type { RunEvent } from "@troupe/core/runs";
import { parseArguments } from "@troupe/core/kit";
import { toPublicChunk, toPublicFailure, toPublicWait, wasDenied } from "@troupe/core/transport";
import { MessageSteps, modelStep } from "./message-steps.ts";
import { toArtifactChunk, toClientJson, toUiOutput, toUiUsage } from "./ui-chunk.ts";
import type { UiChunk } from "./ui-chunk.ts";

/** A tool call of the message. */
type Call = {
  readonly id: string;
  readonly name: string;
  /** The model's journal step that has made the call, empty for a run without a journal. */
  readonly step: string;
  args: string;
  isAvailable: boolean;
  isSettled: boolean;
  /** True for the call of a team's member or an agent as a tool, of which the stream has nothing but its question. */
  readonly isInner: boolean;
  /** The last question about the call. */
  waitId?: string;
  /** The question for approval that has no answer yet. */
  approvalId?: string | undefined;
};

const finishReasons: Readonly<Record<string, string>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool-calls",
  content_filter: "content-filter",
  error: "error",
};

/**
 * Makes one message of the AI SDK's UI message stream of the events of a run: the same chunks from the run's beginning for
 * every reader. Each model call is a step of the message, with the calls that it asks for and their results.
 */
export class UiMessage {
  readonly #runId: string;
  readonly #emit: (chunk: UiChunk) => void;
  readonly #steps: MessageSteps;
  readonly #calls = new Map<string, Call>();
  /** The ids of the questions about which nothing is settled yet. */
  readonly #waits = new Set<string>();
  #finish: Extract<StreamChunk, { type: "finish" }> | undefined;

  constructor(runId: string, emit: (chunk: UiChunk) => void) {
    this.#runId = runId;
    this.#emit = emit;
    this.#steps = new MessageSteps(emit);
  }

  /** True when the run may be waiting for an answer. */
  get mayWait(): boolean {
    return this.#waits.size > 0;
  }

  /** Tells if the message has come to a question. */
  has(waitId: string): boolean {
    return this.#waits.has(waitId);
  }

  /** Takes the next event of the run, other than its end. */
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

  /** Ends the answer, but not the message, which goes on in the next answer when the questions are answered. */
  pause(): void {
    this.leaveStep();
    this.#emit({ type: "finish", finishReason: "tool-calls" });
  }

  /** Ends the step. */
  leaveStep(): void {
    for (const call of this.#calls.values()) this.#complete(call);
    this.#steps.leave();
  }

  /** Ends the message of a completed run. */
  finish(usage: TokenUsage | undefined): void {
    // A client that sends the results of its tools by itself would take those of the last step for its own.
    if (this.#steps.hasOutput) this.#steps.begin("");
    this.leaveStep();
    const used = usage ?? this.#finish?.usage;
    this.#emit({
      type: "finish",
      finishReason: finishReasons[this.#finish?.finishReason ?? "stop"] ?? "other",
      ...(used !== undefined && { messageMetadata: { usage: toUiUsage(used) } }),
    });
  }

  /** Ends the message with an error, whose code and other facts are in the metadata. */
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
        return this.#steps.write("text", chunk.text, step);
      case "thinking":
        return this.#steps.write("reasoning", chunk.text, step);
      case "tool_call_start":
        return this.#startCall(chunk.toolCall, step);
      case "tool_call_delta":
        return this.#writeArguments(chunk.toolCallId, chunk.argumentsDelta);
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

  #writeArguments(toolCallId: string, inputTextDelta: string): void {
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
    if (wasDenied(chunk)) this.#emit({ type: "tool-output-denied", toolCallId });
    else if (error !== undefined) this.#emit({ type: "tool-output-error", toolCallId, errorText: error });
    else this.#emit({ type: "tool-output-available", toolCallId, output: toUiOutput(chunk.result) });
    this.#settle(call);
    for (const artifact of artifacts) this.#emit(toArtifactChunk({ ...artifact, toolCallId, toolName }));
  }

  #takeSource({ id, url, title }: Extract<StreamChunk, { type: "source" }>): void {
    this.#steps.ensure();
    const source = { sourceId: id, ...(title !== undefined && { title }) };
    if (url !== undefined) this.#emit({ type: "source-url", ...source, url });
    else this.#emit({ type: "source-document", ...source, mediaType: "text/plain", title: title ?? id });
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

  /** Returns the call that a question is about: one of the stream, or one of a child run, whose ids are its own. */
  #askedCall({ id, about }: RunWait, toolCallId: string): Call {
    const { toolName: name = "tool", args = {} } = about as { toolName?: string; args?: object };
    const known = this.#calls.get(toolCallId);
    if (known?.name === name) return known;
    return this.#addCall({ id: known === undefined ? toolCallId : id, name, args });
  }

  /**
   * Notes that a question for approval has its answer. The stream says nothing of it: the SDK's chunk for that is unknown to its
   * version 6, which drops the whole stream for it, and requests do not tell the versions apart. What follows, the output or the
   * denial of the call, says enough.
   */
  #approve(approvalId: string): void {
    const call = [...this.#calls.values()].find((each) => each.approvalId === approvalId);
    if (call !== undefined) call.approvalId = undefined;
  }

  /** Settles the call of a child run, whose result is the child run's alone. One that was not made was denied. */
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
    this.#steps.hasOutput = true;
    if (call.waitId !== undefined) this.#waits.delete(call.waitId);
  }

  /** Inner calls have a step of their own: a page sends its answers when all calls of the last step are answered. */
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

  /** Tells of the whole arguments of a call. */
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

  /** Takes back what the model said in the step: another process makes it anew. */
  #reset(step: string): void {
    if (!modelStep.test(step) || !this.#steps.reset(step)) return;
    for (const [id, call] of this.#calls) if (call.step === step) this.#calls.delete(id);
  }
}

/** Returns a journal step as the ids of questions have it. */
function placeOf(step: string): string {
  return step.replaceAll("/", ".");
}
