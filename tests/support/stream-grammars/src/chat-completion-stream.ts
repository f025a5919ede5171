import { Grammar } from "./grammar.ts";

/** The data of a chunk of a chat completion, or the end mark. */
export type ChatCompletionEvent = { readonly [field: string]: unknown } | "[DONE]";

type Choice = {
  readonly index?: unknown;
  readonly delta?: { readonly role?: unknown; readonly content?: unknown; readonly tool_calls?: unknown };
  readonly finish_reason?: unknown;
};

const reasons = ["stop", "length", "tool_calls", "content_filter"];

/**
 * The grammar of a chat completion's stream: the role, deltas, one chunk with the reason of the end, perhaps the usage,
 * and `[DONE]`; or an error as the last chunk.
 */
export class ChatCompletionGrammar extends Grammar<ChatCompletionEvent> {
  #id: unknown;
  #hasRole = false;
  #hasEnded = false;
  #hasUsage = false;
  #hasCalls = false;

  constructor() {
    super("stream of a chat completion");
  }

  protected override take(event: ChatCompletionEvent): void {
    if (event === "[DONE]") {
      this.check(this.#hasEnded, "no-end", "no chunk has a finish_reason, and none an error");
      return this.finish();
    }
    if (event["error"] !== undefined) return this.#takeError(event["error"]);
    this.check(event["object"] === "chat.completion.chunk", "object", "it is no chunk");
    this.#id ??= event["id"];
    this.check(
      typeof this.#id === "string" && event["id"] === this.#id,
      "same-id",
      "its id differs from the first one",
    );
    this.check(Number.isSafeInteger(event["created"]), "created", "it has no time in seconds");
    const choices = event["choices"];
    this.check(Array.isArray(choices) && choices.length <= 1, "one-choice", "it has not one choice at most");
    const [choice] = choices as Choice[];
    if (choice === undefined) this.#takeMore(event);
    else this.#takeChoice(choice);
  }

  #takeChoice({ index, delta, finish_reason: reason }: Choice): void {
    this.check(!this.#hasEnded, "after-end", "a delta comes after the finish_reason");
    this.check(index === 0 && typeof delta === "object", "choice", "its choice has no index 0, or no delta");
    if (!this.#hasRole) this.check(delta?.role === "assistant", "role-first", "the first delta has no role");
    this.#hasRole = true;
    if (delta?.tool_calls !== undefined) this.#takeCalls(delta.tool_calls);
    if (reason === null) return;
    this.check(reasons.includes(reason as string), "finish-reason", "its reason is none of the API");
    this.check(
      (reason === "tool_calls") === this.#hasCalls,
      "calls-reason",
      "tool_calls and its reason belong together",
    );
    this.#hasEnded = true;
  }

  #takeCalls(calls: unknown): void {
    this.#hasCalls = true;
    for (const call of calls as { index?: unknown; id?: unknown; type?: unknown }[]) {
      const isWhole = Number.isSafeInteger(call.index) && typeof call.id === "string" && call.type === "function";
      this.check(isWhole, "call", "a call has no index, id or type");
    }
  }

  /** A chunk without a choice has a status line, or the usage behind the end. */
  #takeMore({ usage, event }: Exclude<ChatCompletionEvent, string>): void {
    if (usage === undefined || usage === null) {
      return this.check(event !== undefined && !this.#hasEnded, "empty", "it has neither usage nor a status line");
    }
    this.check(this.#hasEnded && !this.#hasUsage, "usage-last", "the usage comes once, behind the finish_reason");
    this.#hasUsage = true;
  }

  #takeError(error: unknown): void {
    const { message, type } = (error ?? {}) as { message?: unknown; type?: unknown };
    this.check(typeof message === "string" && typeof type === "string", "error", "it has no message or type");
    this.check(!this.#hasEnded, "after-end", "an error comes after the finish_reason");
    this.#hasEnded = true;
  }
}
