import type { RunWait, StreamChunk, TokenUsage, TroupeError } from "@troupe/core";
import type { PartEvent } from "../run/part-events.ts";
import type { PartUsage } from "../run/part-usage.ts";
import { callOf, toArguments, toOutputText } from "../run/calls.ts";
import type { AskedCall } from "../run/calls.ts";
import { toShownChunk } from "../run/shown-chunk.ts";
import { toApiError } from "../wire/api-error.ts";
import { toCallId } from "../wire/ids.ts";
import { emitWhole, MessageItem, ReasoningItem, serverLabel, ServerCallItem } from "./output-items.ts";
import type { CitedSource, EmitEvent, OpenItem } from "./output-items.ts";
import type { OutputItem, ResponseObject } from "./response-object.ts";
import { usageOf } from "./response-object.ts";

/** An event of a response's stream. Its sequence number is the same for every reader. */
export type ResponseEvent = {
  readonly type: string;
  readonly sequence_number: number;
  readonly [field: string]: unknown;
};

/** The facts about a response that are not in its events. */
export type WriterFacts = {
  readonly runId: string;
  /** The prefix of the item ids, unique within the run. */
  readonly prefix: string;
  /** The names of the tools whose calls may wait for the client: such a call is shown once it is known if it waits. */
  readonly held: ReadonlySet<string>;
  /** The tools that the client executes. The client already knows the results of their calls. */
  readonly clientTools: ReadonlySet<string>;
  /** The calls about which the run asked the client before its last wait, by their ids. */
  readonly asked?: ReadonlyMap<string, AskedCall> | undefined;
  /** The usage of the part of the run. */
  readonly used: PartUsage;
  /** Epoch milliseconds at which the part ended, if it is read later. @default the time at which the response ends */
  readonly endedAt?: number | undefined;
};

/** A tool call that its client executes or approves. It becomes an item only when the run waits for the client. */
type HeldCall = { readonly name: string; args: string };

/** A tool call and its result, as they were stored. */
type FinishedCall = HeldCall & { readonly id: string; readonly output: string; readonly error: string | undefined };

type ToolResult = Extract<StreamChunk, { type: "tool_result" }>;

/**
 * Converts the events of a run, or of one part between two waits for its client, to a response and the events of its
 * stream.
 */
export class ResponseWriter {
  readonly response: ResponseObject;
  readonly #facts: WriterFacts;
  readonly #send: (event: ResponseEvent) => void;
  readonly #calls = new Map<string, ServerCallItem>();
  readonly #held = new Map<string, HeldCall>();
  readonly #done: { readonly index: number; readonly step: string; readonly item: OutputItem }[] = [];
  #open: MessageItem | ReasoningItem | undefined;
  #sources: CitedSource[] = [];
  #sequence = 0;
  #items = 0;
  #finishReason: string | undefined;
  readonly #asked = new Set<string>();

  constructor(response: ResponseObject, facts: WriterFacts, send: (event: ResponseEvent) => void) {
    this.response = response;
    this.#facts = facts;
    this.#send = send;
  }

  /** Emits the first events of the stream, if that has not happened yet. */
  begin(): void {
    if (this.#sequence > 0) return;
    this.#emit("response.created", { response: this.snapshot() });
    this.#emit("response.in_progress", { response: this.snapshot() });
  }

  /** Adds an event of the run. The caller handles the end, the failure and the pause of the run. */
  take(event: PartEvent): void {
    this.#facts.used.add(event);
    if (event.type === "chunk") this.#takeChunk(event.chunk as StreamChunk, event.step ?? "");
    else if (event.type === "wait") this.#takeWait(event.wait);
    else if (event.type === "reset") this.#reset(event.step);
  }

  /** Ends the response of a run that has completed with a usage, or that waits for its client. */
  finish(usage: TokenUsage | undefined): void {
    this.#closeAll("completed");
    const reasons: Readonly<Record<string, string>> = { length: "max_output_tokens", content_filter: "content_filter" };
    const reason = reasons[this.#finishReason ?? ""];
    this.#end(reason === undefined ? "completed" : "incomplete", usage);
    if (reason !== undefined) this.response.incomplete_details = { reason };
    this.#emit(`response.${this.response.status}`, { response: this.snapshot() });
  }

  /** Ends the response of a run that failed or was cancelled. */
  fail(error: TroupeError, usage: TokenUsage | undefined): void {
    this.begin();
    this.#closeAll("incomplete");
    const { type, code, message, param } = toApiError(error);
    this.#end(code === "cancelled" ? "cancelled" : "failed", usage);
    if (code !== "cancelled") {
      this.response.error = { code, message };
      // OpenAI's clients read the fields of the event; Open Responses has them in `error`.
      this.#emit("error", { code, message, param, error: { type, code, message, param } });
    }
    this.#emit("response.failed", { response: this.snapshot() });
  }

  /** Adds a whole text: the output of a workflow, or an answer that was read from its session. */
  addText(text: string): void {
    if (text !== "") this.#message("").write(text);
  }

  /** Adds a finished tool call that was read from its session. */
  addCall({ id, name, args, output, error }: FinishedCall): void {
    this.#leave("completed");
    const item = this.#newCall(id, name, "");
    item.stringifyArguments(args);
    this.#settle(id, item, { output, error });
  }

  /** Returns a copy of the response in its current state. */
  snapshot(): ResponseObject {
    return { ...this.response, output: this.#output() };
  }

  #takeChunk(given: StreamChunk, step: string): void {
    const chunk = toShownChunk(given);
    switch (chunk?.type) {
      case "text":
        return this.#message(step).write(chunk.text);
      case "thinking":
        return this.#reasoning(step).write(chunk.text);
      case "tool_call_start":
        return this.#startCall(chunk.toolCall, step);
      case "tool_call_delta":
        return this.#stringifyArguments(chunk.toolCallId, chunk.argumentsDelta);
      case "tool_result":
        return this.#takeResult(chunk, step);
      case "source":
        return this.#cite(chunk);
      case "finish":
        this.#finishReason = chunk.finishReason;
        return undefined;
      default:
        return undefined;
    }
  }

  #startCall({ id, name }: { id: string; name: string }, step: string): void {
    if (this.#calls.has(id) || this.#held.has(id)) return;
    this.#leave("completed");
    if (this.#facts.held.has(name)) this.#held.set(id, { name, args: "" });
    else this.#newCall(id, name, step);
  }

  #stringifyArguments(id: string, delta: string): void {
    const held = this.#held.get(id);
    if (held === undefined) this.#calls.get(id)?.stringifyArguments(delta);
    else held.args += delta;
  }

  #takeResult({ toolCallId: id, toolName, result, error }: ToolResult, step: string): void {
    const known = this.#held.get(id) ?? this.#facts.asked?.get(id);
    this.#held.delete(id);
    if (this.#facts.clientTools.has(toolName)) return;
    let item = this.#calls.get(id);
    if (item === undefined) {
      this.#leave("completed");
      item = this.#newCall(id, toolName, step);
      item.stringifyArguments(toArguments(known?.args ?? ""));
    }
    this.#settle(id, item, { output: toOutputText(result), error });
  }

  /** Adds a tool call that the run waits for, for the client to execute or approve. */
  #takeWait(wait: RunWait): void {
    if (this.#asked.has(wait.id) || (wait.kind !== "input" && wait.kind !== "approval")) return;
    this.#asked.add(wait.id);
    const { name, args } = callOf(wait);
    const id = wait.toolCallId ?? "";
    this.#held.delete(id);
    const begun = this.#calls.get(id);
    if (begun !== undefined) this.#keep(begun, begun.close());
    this.#calls.delete(id);
    this.#leave("completed");
    const index = this.#items++;
    const call = { runId: this.#facts.runId, waitId: wait.id };
    const item: OutputItem =
      wait.kind === "input"
        ? {
            id: this.#id("fc", index),
            type: "function_call",
            status: "completed",
            call_id: toCallId(call),
            name,
            arguments: args,
          }
        : {
            id: toCallId(call, "mcpr_"),
            type: "mcp_approval_request",
            name,
            arguments: args,
            server_label: serverLabel,
          };
    this.#done.push({ index, step: "", item: emitWhole(item, index, this.#emit) });
  }

  #cite(source: CitedSource): void {
    if (this.#open instanceof MessageItem) this.#open.cite(source);
    else this.#sources.push(source);
  }

  #message(step: string): MessageItem {
    if (this.#open instanceof MessageItem) return this.#open;
    this.#leave("completed");
    const index = this.#items++;
    const item = new MessageItem({ id: this.#id("msg", index), index, step }, this.#emit);
    this.#open = item;
    for (const source of this.#sources.splice(0)) item.cite(source);
    return item;
  }

  #reasoning(step: string): ReasoningItem {
    if (this.#open instanceof ReasoningItem) return this.#open;
    this.#leave("completed");
    const index = this.#items++;
    const item = new ReasoningItem({ id: this.#id("rs", index), index, step }, this.#emit);
    this.#open = item;
    return item;
  }

  #newCall(id: string, name: string, step: string): ServerCallItem {
    const index = this.#items++;
    const item = new ServerCallItem({ id: this.#id("mcp", index), index, step, name }, this.#emit);
    this.#calls.set(id, item);
    return item;
  }

  #settle(id: string, item: ServerCallItem, result: { output: string; error: string | undefined }): void {
    this.#keep(item, item.settle(result));
    this.#calls.delete(id);
  }

  /** Ends the open message or reasoning item. */
  #leave(status: "completed" | "incomplete"): void {
    const open = this.#open;
    this.#open = undefined;
    if (open !== undefined) this.#keep(open, open.close(status));
  }

  #keep({ index, step }: OpenItem, item: OutputItem): void {
    this.#done.push({ index, step, item });
  }

  #closeAll(status: "completed" | "incomplete"): void {
    for (const call of this.#calls.values()) this.#keep(call, call.close());
    this.#calls.clear();
    this.#leave(status);
    if (status === "completed" && this.#sources.length > 0) this.#message("");
    this.#leave(status);
  }

  /** Removes the items of a journal step, because another process repeats the step. Open items end as incomplete. */
  #reset(step: string): void {
    if (this.#open?.step === step) {
      this.#open.close("incomplete");
      this.#open = undefined;
    }
    for (const [id, call] of this.#calls) {
      if (call.step !== step) continue;
      call.close();
      this.#calls.delete(id);
    }
    this.#done.splice(0, this.#done.length, ...this.#done.filter((done) => done.step !== step || step === ""));
  }

  #end(status: ResponseObject["status"], usage: TokenUsage | undefined): void {
    const { response } = this;
    response.status = status;
    const endedAt = Math.floor((this.#facts.endedAt ?? Date.now()) / 1000);
    response.completed_at = status === "completed" ? Math.max(response.created_at, endedAt) : null;
    response.usage = usageOf(this.#facts.used.of(usage));
    response.output = this.#output();
  }

  #output(): OutputItem[] {
    const open = [...this.#calls.values(), ...(this.#open === undefined ? [] : [this.#open])];
    const all = [...this.#done, ...open.map(({ index, item }) => ({ index, item }))];
    return all.toSorted((one, other) => one.index - other.index).map(({ item }) => item);
  }

  readonly #emit: EmitEvent = (type, fields) => {
    this.#send({ type, sequence_number: this.#sequence++, ...fields });
  };

  #id(kind: string, index: number): string {
    return `${kind}_${this.#facts.prefix}${String(index).padStart(4, "0")}`;
  }
}
