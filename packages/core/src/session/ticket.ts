import type { Hold, PlaceInLine } from "./place-in-line.ts";
import type { JoinOptions } from "./turn-queue.ts";
import { Waiting } from "./waiting.ts";

/** One of this process who is to be in a line that several processes share. */
export class Ticket {
  readonly number: number;
  readonly options: JoinOptions;
  /** `waiting`: the stored line has it. */
  state: "new" | "waiting" | "first" = "new";
  hadToWait = false;
  /** Whether the session is gone, and the line is to go with it. */
  forgets = false;
  readonly #waiting: Waiting<Hold>;
  readonly #looked = Promise.withResolvers<void>();

  /** Its end is told whenever it ends, be it twice. */
  constructor(number: number, options: JoinOptions, onEnd: (ticket: Ticket) => void) {
    this.number = number;
    this.options = options;
    this.#waiting = new Waiting<Hold>(options, () => {
      this.look();
      onEnd(this);
    });
  }

  get place(): PlaceInLine {
    return { looked: this.#looked.promise, granted: this.#waiting.granted, leave: () => this.#waiting.leave() };
  }

  /** The line was looked at. */
  look(): void {
    this.#looked.resolve();
  }

  grant(hold: Omit<Hold, "hadToWait" | "forget">): void {
    this.state = "first";
    this.#waiting.grant({ ...hold, hadToWait: this.hadToWait, forget: () => void (this.forgets = true) });
  }

  refuse(error: unknown): void {
    this.#waiting.giveUp(error);
  }
}
