/** An event, or an end, of a stream that breaks the grammar of its protocol. */
export class GrammarError extends Error {
  override readonly name = "GrammarError";
  /** The violated rule, such as `after-end`. */
  readonly rule: string;

  constructor(message: string, rule: string) {
    super(message);
    this.rule = rule;
  }
}

/** Characters of an event that an error shows. */
const maxShown = 300;

/**
 * A strict state machine for one stream: `read` takes its events in order, and `end` its end. Both throw a
 * `GrammarError`. A reader that stops early does not call `end`: it has read a prefix.
 */
export abstract class Grammar<Event> {
  readonly #stream: string;
  #event: Event | undefined;
  #count = 0;
  #isOver = false;

  /** `stream`: the name of the stream in errors. */
  constructor(stream: string) {
    this.#stream = stream;
  }

  read(event: Event): void {
    this.#event = event;
    this.#count += 1;
    if (this.#isOver) this.fail("after-end", "an event comes after the end");
    this.take(event);
  }

  /** Takes the end of a stream that was read completely. */
  end(): void {
    this.#event = undefined;
    if (!this.#isOver) this.fail("no-end", "the stream ends without its last event");
  }

  protected abstract take(event: Event): void;

  /** Records that this event is the last one. */
  protected finish(): void {
    this.#isOver = true;
  }

  /** Throws unless the claim is true. */
  protected check(claim: boolean, rule: string, problem: string): void {
    if (!claim) this.fail(rule, problem);
  }

  protected fail(rule: string, problem: string): never {
    const shown = this.#event === undefined ? "" : `: ${JSON.stringify(this.#event).slice(0, maxShown)}`;
    const place = this.#event === undefined ? `after event ${this.#count}` : `at event ${this.#count}`;
    throw new GrammarError(`The ${this.#stream} breaks the rule ${rule}: ${problem}, ${place}${shown}`, rule);
  }
}
