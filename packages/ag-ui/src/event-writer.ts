import type { RunWait, StreamChunk, TokenUsage, TroupeError } from "@troupe/core";
import { toPublicChunk, toPublicFailure, toPublicWorkflowChunk } from "@troupe/core/transport";
import { toInterrupt, toUsage } from "./event-values.ts";
import type { AgUiEvent } from "./ag-ui-event.ts";
import { MessageList } from "./message-list.ts";
import type { AgUiRequest } from "./read-request.ts";

type TextChunk = Extract<StreamChunk, { type: "text" | "thinking" }>;

/** A message with text or reasoning that is being written. `within` has the field that each of its events has. */
type OpenMessage = {
  readonly kind: "text" | "thinking";
  readonly id: string;
  readonly speaker: string | undefined;
  readonly within: object;
};

type Call = {
  readonly id: string;
  readonly name: string;
  /** The step of the run in which the call was made. */
  readonly step: string;
  isOpen: boolean;
  isMember: boolean;
};

/**
 * Converts the events of a run to events of AG-UI. Every message, tool call and step that was started in the stream is
 * ended before the end of the run.
 */
export class EventWriter {
  readonly #request: AgUiRequest;
  readonly #id: string;
  readonly #isTeam: boolean;
  readonly #emit: (event: AgUiEvent) => void;
  readonly #open = new Map<string, OpenMessage>();
  readonly #calls = new Map<string, Call>();
  readonly #steps = new Set<string>();
  readonly #waits = new Map<string, RunWait>();
  readonly #list = new MessageList();
  /** The step of the run whose event is being converted. */
  #step = "";
  #messages = 0;
  #usage: TokenUsage | undefined;

  constructor(run: { request: AgUiRequest; runId: string; isTeam: boolean }, emit: (event: AgUiEvent) => void) {
    this.#request = run.request;
    this.#id = run.runId;
    this.#isTeam = run.isTeam;
    this.#emit = (event) => {
      this.#list.take(event, this.#step);
      emit(event);
    };
  }

  /** Emits the start of the run. `state` is the state of a workflow whose run has just begun. */
  begin(state?: object): void {
    const { threadId, runId, isCurrent } = this.#request;
    this.#emit({ type: "RUN_STARTED", threadId, runId, ...(isCurrent && { protocolVersion: "1.0" }) });
    if (state !== undefined) this.#emit({ type: "STATE_SNAPSHOT", snapshot: state });
  }

  /** Sets the step of the run to which the following chunks belong. */
  enter(step: string): void {
    this.#step = step;
  }

  /** Emits changes of a workflow's state, as operations of JSON Patch. */
  changeState(delta: readonly object[]): void {
    if (delta.length > 0) this.#emit({ type: "STATE_DELTA", delta });
  }

  /**
   * Removes the client's output of a step of the run, because another process produces it again: the client gets a
   * snapshot of the messages that are still valid.
   */
  reset(step: string): void {
    if (!this.#list.drop(step)) return;
    this.#closeMessages();
    for (const call of this.#calls.values()) if (call.step === step) this.#dropCall(call);
    this.#emit({ type: "MESSAGES_SNAPSHOT", messages: [...this.#request.messages, ...this.#list.toArray()] });
  }

  /**
   * Ends all open messages, tool calls and steps for a client that has already received them, and forgets the messages.
   */
  leave(): void {
    this.closeAll();
    this.#list.clear();
  }

  /** Converts a chunk of an agent's or a team's run. */
  takeChunk(given: StreamChunk): void {
    const chunk = toPublicChunk(given);
    switch (chunk?.type) {
      case "text":
      case "thinking":
        return this.#write(chunk);
      case "tool_call_start":
        return this.#startCall(chunk.toolCall);
      case "tool_call_delta":
        return this.#emit({ type: "TOOL_CALL_ARGS", toolCallId: chunk.toolCallId, delta: chunk.argumentsDelta });
      case "tool_result":
        return this.#takeResult(chunk);
      case "tool_progress":
        return this.#custom("tool_progress", chunk);
      case "source":
        return this.#custom("source", chunk);
      case "finish":
        this.#usage = chunk.usage;
        return undefined;
      default:
        return undefined;
    }
  }

  /** Converts an event of a workflow's run. */
  takeWorkflowEvent(given: Parameters<typeof toPublicWorkflowChunk>[0]): void {
    const event = toPublicWorkflowChunk(given) as { type: string; step: string; chunk: StreamChunk } | undefined;
    if (event?.type === "step_start") {
      this.#steps.add(event.step);
      this.#emit({ type: "STEP_STARTED", stepName: event.step });
    } else if (event?.type === "step_end" && this.#steps.delete(event.step)) {
      this.#closeMessages();
      this.#emit({ type: "STEP_FINISHED", stepName: event.step });
    } else if (event?.type === "chunk") this.takeChunk(event.chunk);
  }

  /** Shows a question of the run as a tool call. The stream may end after this call. */
  takeWait(wait: RunWait): void {
    this.#waits.set(wait.id, wait);
    const { toolCallId, about } = wait;
    if (toolCallId === undefined || this.#calls.has(toolCallId)) return;
    // A question of a child run concerns a tool call that is not in the stream, because chunks of child runs are not
    // sent.
    const { toolName = "tool", args = {} } = Object(about) as { toolName?: string; args?: object };
    this.#startCall({ id: toolCallId, name: toolName });
    this.#emit({ type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(args) });
  }

  /** Ends the stream of a run that waits for the answers to these questions. */
  pause(waits: readonly RunWait[]): void {
    for (const wait of waits) this.takeWait(wait);
    this.closeAll();
    const { isCurrent } = this.#request;
    const interrupts = waits.filter(({ kind }) => kind !== "input").map(toInterrupt);
    const pending = waits.flatMap(({ kind, toolCallId }) => (kind === "input" ? (toolCallId ?? []) : []));
    if (interrupts.length > 0) return this.#finish({ outcome: { type: "interrupt", interrupts } });
    return this.#finish(isCurrent ? { outcome: { type: "success", pendingToolCallIds: pending } } : {});
  }

  /** Ends the stream of a completed run. `state` is the state of a workflow. */
  finish({ usage = this.#usage, state }: { usage?: TokenUsage | undefined; state?: unknown }): void {
    this.closeAll();
    if (state !== undefined) this.#emit({ type: "STATE_SNAPSHOT", snapshot: state });
    this.#finish({ outcome: { type: "success" }, ...(usage !== undefined && { usage: [toUsage(usage)] }) });
  }

  /** Ends the stream of a failed or cancelled run. */
  fail(error: TroupeError): void {
    this.closeAll();
    const { code, message } = toPublicFailure(error);
    if (code === "cancelled" && this.#request.isCurrent) return this.#finish({ outcome: { type: "cancelled" } });
    this.#emit({ type: "RUN_ERROR", message, code });
  }

  #finish(fields: object): void {
    const { threadId, runId } = this.#request;
    this.#emit({ type: "RUN_FINISHED", threadId, runId, ...fields });
  }

  #custom(name: string, value: object): void {
    this.#emit({ type: "CUSTOM", name: `troupe.${name}`, value });
  }

  #write(chunk: TextChunk): void {
    const { type: kind, text, member, speaker, delegationId } = chunk;
    const key = member === undefined ? "" : `${member} ${delegationId}`;
    let message = this.#open.get(key);
    if (message?.kind !== kind || message.speaker !== speaker) {
      this.#closeMessage(key);
      this.#messages += 1;
      message = { kind, speaker, id: `${this.#id}-${this.#messages}`, within: this.#subagent(chunk) };
      this.#open.set(key, message);
      this.#openMessage(message, nameOf(chunk));
    }
    const type = kind === "text" ? "TEXT_MESSAGE_CONTENT" : "REASONING_MESSAGE_CONTENT";
    this.#emit({ type, messageId: message.id, delta: text, ...message.within });
  }

  #openMessage({ kind, id: messageId, within }: OpenMessage, named: object): void {
    const fields = { ...within, ...named };
    if (kind === "text") return this.#emit({ type: "TEXT_MESSAGE_START", messageId, role: "assistant", ...fields });
    this.#emit({ type: "REASONING_START", messageId, ...fields });
    this.#emit({ type: "REASONING_MESSAGE_START", messageId, role: "reasoning", ...fields });
  }

  /**
   * Returns the field that attributes a team member's text to the member's run, if the stream has announced that run.
   */
  #subagent({ member, delegationId }: TextChunk): object {
    const call = this.#calls.get(delegationId ?? "");
    return call?.isMember === true && member?.includes("/") === false ? { subagentRunId: call.id } : {};
  }

  #closeMessage(key: string): void {
    const message = this.#open.get(key);
    if (message === undefined) return;
    this.#open.delete(key);
    const { kind, id: messageId, within } = message;
    if (kind === "text") return this.#emit({ type: "TEXT_MESSAGE_END", messageId, ...within });
    this.#emit({ type: "REASONING_MESSAGE_END", messageId, ...within });
    this.#emit({ type: "REASONING_END", messageId, ...within });
  }

  #closeMessages(): void {
    for (const key of this.#open.keys()) this.#closeMessage(key);
  }

  #startCall({ id, name }: { id: string; name: string }): void {
    if (this.#calls.has(id)) return;
    this.#closeMessage("");
    const isMember = this.#isTeam && name.startsWith("delegate_to_");
    this.#calls.set(id, { id, name, step: this.#step, isOpen: true, isMember });
    this.#emit({ type: "TOOL_CALL_START", toolCallId: id, toolCallName: name });
    if (!isMember) return;
    const member = name.slice("delegate_to_".length);
    this.#emit({ type: "SUBAGENT_STARTED", subagentRunId: id, name: member, parentToolCallId: id });
  }

  #takeResult(chunk: Extract<StreamChunk, { type: "tool_result" }>): void {
    const { toolCallId, toolName, error, artifacts = [] } = chunk;
    if (!this.#calls.has(toolCallId) && !this.#waits.size) this.#startCall({ id: toolCallId, name: toolName });
    const call = this.#calls.get(toolCallId);
    this.#endCall(call);
    if (call?.isMember === true) this.#endMember(call, error);
    const content = typeof chunk.result === "string" ? chunk.result : JSON.stringify(chunk.result);
    this.#emit({ type: "TOOL_CALL_RESULT", messageId: `${toolCallId}-result`, toolCallId, content, role: "tool" });
    for (const artifact of artifacts) this.#custom("artifact", { ...artifact, toolCallId, toolName });
    if (call === undefined)
      this.#calls.set(toolCallId, {
        id: toolCallId,
        name: toolName,
        step: this.#step,
        isOpen: false,
        isMember: false,
      });
  }

  #dropCall(call: Call): void {
    this.#endCall(call);
    if (call.isMember) this.#endMember(call, undefined);
    this.#calls.delete(call.id);
  }

  #endMember(call: Call, error: string | undefined): void {
    for (const key of this.#open.keys()) if (key.endsWith(` ${call.id}`)) this.#closeMessage(key);
    call.isMember = false;
    if (error === undefined) this.#emit({ type: "SUBAGENT_FINISHED", subagentRunId: call.id });
    else this.#emit({ type: "SUBAGENT_ERROR", subagentRunId: call.id, message: error });
  }

  #endCall(call: Call | undefined): void {
    if (call?.isOpen !== true) return;
    call.isOpen = false;
    this.#emit({ type: "TOOL_CALL_END", toolCallId: call.id });
  }

  /** Ends all open messages, tool calls and steps in the stream, such as the tool calls that the run asks about. */
  closeAll(): void {
    this.#closeMessages();
    for (const call of this.#calls.values()) {
      this.#endCall(call);
      if (call.isMember) this.#endMember(call, undefined);
    }
    for (const stepName of this.#steps) this.#emit({ type: "STEP_FINISHED", stepName });
    this.#steps.clear();
  }
}

/** Returns the field that names the member of a team who wrote a message. */
function nameOf({ member, speaker }: TextChunk): { metadata?: object } {
  if (member === undefined && speaker === undefined) return {};
  return { metadata: { troupe: member === undefined ? { speaker } : { member } } };
}
