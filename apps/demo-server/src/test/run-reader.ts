import { readSse } from "@troupe/core/provider";

/** An event of a run, as far as the tests look at it. */
type ShownEvent = {
  type: string;
  text?: string;
  journalStep?: string;
  finishReason?: string;
  error?: { code: string };
};

/**
 * A client that follows a run over any number of connections: it knows the id of its last event, and drops the text that the
 * server takes back.
 */
export class RunReader {
  /** The ids of all events, in the order in which they came. */
  readonly ids: string[] = [];
  readonly events: ShownEvent[] = [];
  readonly #texts = new Map<string, string>();

  get text(): string {
    return [...this.#texts.values()].join("");
  }

  get last(): ShownEvent | undefined {
    return this.events.at(-1);
  }

  /** The header with which the client connects again. */
  get position(): Record<string, string> {
    const id = this.ids.at(-1);
    return id === undefined ? {} : { "last-event-id": id };
  }

  /** Reads a stream until it ends, or until the condition holds: then the client disconnects. */
  async read(response: Response, isEnough: () => boolean = () => false): Promise<this> {
    if (response.body === null) return this;
    for await (const { id, data } of readSse(response.body)) {
      this.#note(JSON.parse(data) as ShownEvent, id);
      if (isEnough()) break;
    }
    return this;
  }

  #note(event: ShownEvent, id: string | undefined): void {
    const { type, text = "", journalStep = "" } = event;
    this.events.push(event);
    if (id !== undefined && id !== this.ids.at(-1)) this.ids.push(id);
    if (type === "text") this.#texts.set(journalStep, (this.#texts.get(journalStep) ?? "") + text);
    if (type === "reset") this.#texts.delete(journalStep);
  }
}
