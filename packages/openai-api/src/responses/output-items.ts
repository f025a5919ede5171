import type { OutputItem } from "./response-object.ts";

/** The server label under which calls of the agent's own tools are shown, as calls of MCP tools. */
export const serverLabel = "agent";

/** Emits an event of a response. The receiver adds the sequence number. */
export type EmitEvent = (type: string, fields: object) => void;

/** An output item that is being written. */
export interface OpenItem {
  readonly item: OutputItem;
  readonly index: number;
  /** The journal step that began the item; empty for a run without a journal. */
  readonly step: string;
  /** Ends the item and returns it. A tool call ignores the given status, because it has a status of its own. */
  close(status: "completed" | "incomplete"): OutputItem;
}

/** The facts by which an item is placed: its id, its index in the output, and the journal step that began it. */
export type ItemPlace = { readonly id: string; readonly index: number; readonly step: string };

/** A source of the answer, as an annotation shows it. */
export type CitedSource = {
  readonly id: string;
  readonly url?: string | undefined;
  readonly title?: string | undefined;
};

/** A message of the answer, with its text and citations. */
export class MessageItem implements OpenItem {
  readonly index: number;
  readonly step: string;
  readonly #id: string;
  readonly #emit: EmitEvent;
  readonly #annotations: object[] = [];
  #text = "";

  constructor({ id, index, step }: ItemPlace, emit: EmitEvent) {
    this.#id = id;
    this.index = index;
    this.step = step;
    this.#emit = emit;
    emit("response.output_item.added", { output_index: index, item: { ...this.item, content: [] } });
    emit("response.content_part.added", { ...this.#place, part: this.#part });
  }

  get item(): OutputItem {
    return { id: this.#id, type: "message", status: "in_progress", role: "assistant", content: [this.#part] };
  }

  write(delta: string): void {
    this.#text += delta;
    this.#emit("response.output_text.delta", { ...this.#place, delta, logprobs: [] });
  }

  /** Adds a source to the annotations: as an address, or as a file if it has no address. */
  cite({ id, url, title }: CitedSource): void {
    const annotation =
      url === undefined
        ? { type: "file_citation", file_id: id, filename: title ?? id, index: this.#text.length }
        : { type: "url_citation", url, title: title ?? url, start_index: 0, end_index: this.#text.length };
    const place = { ...this.#place, annotation_index: this.#annotations.length };
    this.#annotations.push(annotation);
    this.#emit("response.output_text.annotation.added", { ...place, annotation });
  }

  close(status: "completed" | "incomplete"): OutputItem {
    const item = { ...this.item, status };
    this.#emit("response.output_text.done", { ...this.#place, text: this.#text, logprobs: [] });
    this.#emit("response.content_part.done", { ...this.#place, part: this.#part });
    this.#emit("response.output_item.done", { output_index: this.index, item });
    return item;
  }

  get #place() {
    return { item_id: this.#id, output_index: this.index, content_index: 0 };
  }

  get #part(): object {
    return { type: "output_text", text: this.#text, annotations: [...this.#annotations], logprobs: [] };
  }
}

/** The reasoning of the model before its answer, shown as a summary. */
export class ReasoningItem implements OpenItem {
  readonly index: number;
  readonly step: string;
  readonly #id: string;
  readonly #emit: EmitEvent;
  #text = "";

  constructor({ id, index, step }: ItemPlace, emit: EmitEvent) {
    this.#id = id;
    this.index = index;
    this.step = step;
    this.#emit = emit;
    emit("response.output_item.added", { output_index: index, item: { ...this.item, summary: [] } });
    emit("response.reasoning_summary_part.added", { ...this.#place, part: { type: "summary_text", text: "" } });
  }

  get item(): OutputItem {
    return {
      id: this.#id,
      type: "reasoning",
      status: "in_progress",
      summary: [{ type: "summary_text", text: this.#text }],
    };
  }

  write(delta: string): void {
    this.#text += delta;
    this.#emit("response.reasoning_summary_text.delta", { ...this.#place, delta });
  }

  close(status: "completed" | "incomplete"): OutputItem {
    const item = { ...this.item, status };
    this.#emit("response.reasoning_summary_text.done", { ...this.#place, text: this.#text });
    this.#emit("response.reasoning_summary_part.done", {
      ...this.#place,
      part: { type: "summary_text", text: this.#text },
    });
    this.#emit("response.output_item.done", { output_index: this.index, item });
    return item;
  }

  get #place() {
    return { item_id: this.#id, output_index: this.index, summary_index: 0 };
  }
}

/**
 * A call of one of the agent's own tools. It is shown as a call of an MCP tool, so that no client tries to execute
 * it.
 */
export class ServerCallItem implements OpenItem {
  readonly index: number;
  readonly step: string;
  readonly name: string;
  readonly #id: string;
  readonly #emit: EmitEvent;
  #args = "";
  #areArgsDone = false;
  #output: string | null = null;
  #error: string | null = null;

  constructor({ id, index, step, name }: ItemPlace & { readonly name: string }, emit: EmitEvent) {
    this.#id = id;
    this.index = index;
    this.step = step;
    this.name = name;
    this.#emit = emit;
    emit("response.output_item.added", { output_index: index, item: this.item });
    emit("response.mcp_call.in_progress", this.#place);
  }

  get item(): OutputItem {
    return this.#itemWith("in_progress");
  }

  stringifyArguments(delta: string): void {
    this.#args += delta;
    this.#emit("response.mcp_call_arguments.delta", { ...this.#place, delta });
  }

  /** Sets the result of the call and ends the item. */
  settle({ output, error }: { readonly output: string; readonly error: string | undefined }): OutputItem {
    if (error === undefined) this.#output = output;
    else this.#error = error;
    this.#finishArguments();
    this.#emit(error === undefined ? "response.mcp_call.completed" : "response.mcp_call.failed", this.#place);
    return this.#done(error === undefined ? "completed" : "failed");
  }

  close(): OutputItem {
    this.#finishArguments();
    return this.#done("incomplete");
  }

  #finishArguments(): void {
    if (this.#areArgsDone) return;
    this.#areArgsDone = true;
    this.#emit("response.mcp_call_arguments.done", { ...this.#place, arguments: this.#args });
  }

  #done(status: string): OutputItem {
    const item = this.#itemWith(status);
    this.#emit("response.output_item.done", { output_index: this.index, item });
    return item;
  }

  #itemWith(status: string): OutputItem {
    const { name } = this;
    const facts = { server_label: serverLabel, name, arguments: this.#args, output: this.#output, error: this.#error };
    return { id: this.#id, type: "mcp_call", status, approval_request_id: null, ...facts };
  }

  get #place() {
    return { item_id: this.#id, output_index: this.index };
  }
}

/** Emits an item that needs no further pieces, such as a tool call for the client, and returns it. */
export function emitWhole(item: OutputItem, index: number, emit: EmitEvent): OutputItem {
  if (item.type !== "function_call") {
    emit("response.output_item.added", { output_index: index, item });
    emit("response.output_item.done", { output_index: index, item });
    return item;
  }
  const { arguments: args, name } = item as { readonly arguments?: string; readonly name?: string };
  const place = { item_id: item.id, output_index: index };
  emit("response.output_item.added", { output_index: index, item: { ...item, arguments: "", status: "in_progress" } });
  emit("response.function_call_arguments.delta", { ...place, delta: args });
  emit("response.function_call_arguments.done", { ...place, name, arguments: args });
  emit("response.output_item.done", { output_index: index, item });
  return item;
}
