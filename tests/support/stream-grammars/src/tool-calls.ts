/** The kind of event in the life of a tool call. */
export type CallEvent = "start" | "delta" | "progress" | "result" | "end";

type Call = { readonly step: string; result?: string; end?: string };

/** The method with which a grammar checks its claims. */
type Check = (claim: boolean, rule: string, problem: string) => void;

/**
 * The tool calls of one stream: each starts, has progress, one result and then its end. The tail of a stream may
 * continue calls that started before it.
 */
export class ToolCalls {
  readonly #calls = new Map<string, Call>();
  readonly #check: Check;
  readonly #isTail: boolean;

  constructor(check: Check, isTail = false) {
    this.#check = check;
    this.#isTail = isTail;
  }

  /** Takes an event of a call. `step`: its journal step. */
  take(event: CallEvent, id: string, step = ""): void {
    if (event === "start") return this.#start(id, step);
    const call = this.#callOf(event, id);
    if (event === "end") {
      this.#check(
        call.result !== undefined || this.#isTail,
        "end-before-result",
        `the call ${id} ends without a result`,
      );
      call.end = step;
    } else {
      this.#check(call.result === undefined, "one-result", `the call ${id} has a ${event} after its result`);
      if (event === "result") call.result = step;
    }
  }

  /** Forgets the calls of a journal step that another attempt makes again. */
  reset(step: string): void {
    for (const [id, call] of this.#calls) {
      if (call.step === step) this.#calls.delete(id);
      if (call.result === step) delete call.result;
      if (call.end === step) delete call.end;
    }
  }

  /** Checks that no call is open when its run is complete. */
  close(): void {
    const open = [...this.#calls].filter(([, { end }]) => end === undefined).map(([id]) => id);
    this.#check(open.length === 0, "open-calls", `the calls ${open.join(", ")} have no end`);
  }

  #start(id: string, step: string): void {
    const isOpen = this.#calls.has(id) && this.#calls.get(id)?.end === undefined;
    this.#check(!isOpen, "one-start", `the call ${id} starts again while it is open`);
    this.#calls.set(id, { step });
  }

  #callOf(event: CallEvent, id: string): Call {
    if (!this.#calls.has(id) && this.#isTail) this.#calls.set(id, { step: "" });
    const call = this.#calls.get(id) ?? { step: "" };
    this.#check(this.#calls.has(id), "call-before", `there is a ${event} of the call ${id} before its start`);
    this.#check(call.end === undefined, "call-over", `there is a ${event} of the call ${id} after its end`);
    return call;
  }
}
