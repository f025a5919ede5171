import { readSse } from "@troupe/core/provider";

/** The fields of a run event that the tests read. */
type ShownEvent = {
  type: string;
  text?: string;
  journalStep?: string;
  finishReason?: string;
  error?: { code: string };
};

/**
 * A client that follows a run over any number of connections. It remembers the id of its last event, and drops text
 * that the server withdraws.
 */
export class RunReader {
  /** The ids of all events in order of arrival. */
  readonly ids: string[] = [];
  readonly events: ShownEvent[] = [];
  readonly #texts = new Map<string, string>();

  get text(): string {
    return [...this.#texts.values()].join("");
  }

  get last(): ShownEvent | undefined {
    return this.events.at(-1);
  }

  /** The header with which the client reconnects. */
  get position(): Record<string, string> {
    const id = this.ids.at(-1);
    return id === undefined ? {} : { "last-event-id": id };
  }

  /** Reads a stream to its end. Disconnects early once the condition is true. */
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
