import { Grammar } from "./grammar.ts";

/** An event of a response's stream, with the name of its frame, or the end mark. */
export type ResponseStreamEvent = { readonly type: string; readonly [field: string]: unknown } | "[DONE]";

type Fields = Exclude<ResponseStreamEvent, string>;

/** An item that has begun: its type, its parts that are open, and whether it is done. */
type Item = {
  readonly id: unknown;
  readonly type: string;
  part: "none" | "open" | "closed";
  text: string;
  isDone: boolean;
};

const ends = ["response.completed", "response.incomplete", "response.failed"];
const itemTypes = ["message", "reasoning", "mcp_call", "function_call", "mcp_approval_request"];

/** The events of an item by its type: those that open and close its part, and its deltas and their end. */
const partsOf: Readonly<Record<string, readonly [open: string, delta: string, done: string, close: string]>> = {
  message: ["content_part.added", "output_text.delta", "output_text.done", "content_part.done"],
  reasoning: [
    "reasoning_summary_part.added",
    "reasoning_summary_text.delta",
    "reasoning_summary_text.done",
    "reasoning_summary_part.done",
  ],
  mcp_call: ["mcp_call.in_progress", "mcp_call_arguments.delta", "mcp_call_arguments.done", ""],
  function_call: ["", "function_call_arguments.delta", "function_call_arguments.done", ""],
};

/**
 * The grammar of a response's stream: `created`, `in_progress`, items that begin, get their deltas and end, and one end
 * with the whole response. `isWhole` is false for a reader who continues behind an event: then its first events are
 * known already.
 */
export class ResponseStreamGrammar extends Grammar<ResponseStreamEvent> {
  readonly #items = new Map<number, Item>();
  readonly #isWhole: boolean;
  #next: number | undefined;
  #id: unknown;
  #begun = 0;
  #ended = false;
  #failed = false;

  constructor({ isWhole = true }: { readonly isWhole?: boolean } = {}) {
    super("stream of a response");
    this.#isWhole = isWhole;
  }

  protected override take(event: ResponseStreamEvent): void {
    if (event === "[DONE]") {
      this.check(this.#ended, "no-end", "the response has no end");
      return this.finish();
    }
    this.check(!this.#ended, "after-end", "an event comes after the end of the response");
    this.#number(event["sequence_number"]);
    if (event.type === "error") {
      this.check(typeof event["message"] === "string", "error", "it has no message");
      this.#failed = true;
      return;
    }
    if ("response" in event) return this.#takeResponse(event);
    this.check(!this.#failed, "after-error", "only the failed response comes after an error");
    if (this.#isWhole) this.check(this.#begun === 2, "created-first", "it comes before created and in_progress");
    this.#takeItemEvent(event);
  }

  #number(number: unknown): void {
    this.check(Number.isSafeInteger(number), "sequence", "it has no sequence_number");
    const expected = this.#next ?? (this.#isWhole ? 0 : number);
    this.check(number === expected, "sequence", `its sequence_number is not ${String(expected)}`);
    this.#next = (number as number) + 1;
  }

  #takeResponse({ type, response }: Fields): void {
    const { id, status, output, error } = response as {
      id: unknown;
      status: unknown;
      output: unknown[];
      error: unknown;
    };
    this.#id ??= id;
    this.check(id === this.#id, "same-id", "the id of the response has changed");
    if (!ends.includes(type)) {
      const expected = ["response.created", "response.in_progress"][this.#begun];
      this.check(type === expected, "created-first", `${String(expected)} is missing`);
      this.#begun += 1;
      return;
    }
    const statuses = type === "response.failed" ? ["failed", "cancelled"] : [type.replace("response.", "")];
    this.check(statuses.includes(status as string), "end-status", "its status is another one");
    this.check(status !== "failed" || error !== null, "failed-error", "it has failed without an error");
    this.#checkItems(output as Fields[]);
    this.#ended = true;
  }

  #checkItems(output: readonly Fields[]): void {
    const open = [...this.#items.values()].filter(({ isDone }) => !isDone);
    this.check(open.length === 0, "item-done", "an item has not ended");
    if (!this.#isWhole) return;
    const known = new Set([...this.#items.values()].map(({ id }) => id));
    const strange = output.find(({ id }) => !known.has(id));
    this.check(strange === undefined, "output", "the output has an item that did not come");
  }

  #takeItemEvent(event: Fields): void {
    const index = event["output_index"];
    this.check(Number.isSafeInteger(index), "output-index", "it has no output_index");
    const item = this.#items.get(index as number);
    const type = event.type.replace("response.", "");
    if (type === "output_item.added") return this.#begin(index as number, event["item"] as Fields);
    if (item === undefined && !this.#isWhole) return;
    if (item === undefined) return this.fail("item-added", "its item has not begun");
    this.check(!item.isDone, "item-done", "its item has ended");
    if (type === "output_item.done") return this.#end(item, event["item"] as Fields);
    this.check(event["item_id"] === item.id, "item-id", "it has the id of another item");
    this.#takePart(item, type, event);
  }

  #begin(index: number, { id, type }: Fields): void {
    this.check(itemTypes.includes(type), "item-type", "the type of its item is none that is sent");
    this.check(!this.#items.has(index), "item-once", "an item of this output_index has begun");
    const [open] = partsOf[type] ?? [""];
    this.#items.set(index, { id, type, part: open === "" ? "open" : "none", text: "", isDone: false });
  }

  #takePart(item: Item, type: string, event: Fields): void {
    const [open, delta, done, close] = partsOf[item.type] ?? [];
    if (type === open) {
      this.check(item.part === "none", "part-once", "its part is open");
      item.part = "open";
    } else if (type === delta) {
      this.check(item.part === "open", "part-open", "its part is not open");
      item.text += String(event["delta"]);
    } else if (type === done) {
      const whole = event["text"] ?? event["arguments"];
      this.check(item.part === "open" && whole === item.text, "whole-text", "the text differs from its deltas");
      item.part = close === "" ? "closed" : "open";
    } else if (type === close) item.part = "closed";
    else this.#takeOther(item, type);
  }

  #takeOther(item: Item, type: string): void {
    const isCitation = item.type === "message" && type === "output_text.annotation.added";
    const isResult = item.type === "mcp_call" && (type === "mcp_call.completed" || type === "mcp_call.failed");
    this.check(isCitation || isResult, "known-type", "the event is none of its item");
  }

  #end(item: Item, { id }: Fields): void {
    this.check(id === item.id, "item-id", "it has the id of another item");
    const isWhole = item.part === "closed" || partsOf[item.type] === undefined;
    this.check(isWhole, "part-done", "its part is open");
    item.isDone = true;
  }
}
