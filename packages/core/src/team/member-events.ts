import type { EventBus } from "../events/event-bus.ts";
import type { RunEvents } from "../run/run-events.ts";
import type { Runnable } from "../run/runnable.ts";

const names = ["run.start", "run.complete", "run.error", "run.stream.chunk", "tool.call", "tool.result"] as const;

type Name = (typeof names)[number];

/**
 * Carries to a team's bus what its members' buses tell of the team's runs, down to members of members. A member may work
 * for others too: only what belongs to a run of this team is passed on, and between runs nobody listens.
 */
export class MemberEvents {
  readonly #target: EventBus<RunEvents>;
  readonly #sources: ReadonlySet<EventBus<RunEvents>>;
  /** The team's runs that have not ended, and the runs within them. */
  readonly #own = new Set<string>();
  readonly #within = new Set<string>();
  /** What has been passed on: buses may lead back to each other. */
  #told = new WeakSet<object>();
  #unsubscribe: (() => void)[] = [];

  constructor(target: EventBus<RunEvents>, members: readonly Runnable[]) {
    this.#target = target;
    this.#sources = new Set(members.map(({ eventBus }) => eventBus).filter((bus) => bus !== target));
  }

  /** A run of the team begins. */
  open(runId: string): void {
    if (this.#isQuiet) this.#subscribe();
    this.#own.add(runId);
  }

  /** It has ended. Of runs within it that are still ending, the end is told. */
  close(runId: string): void {
    this.#own.delete(runId);
    this.#leave();
  }

  get #isQuiet(): boolean {
    return this.#own.size + this.#within.size === 0;
  }

  #subscribe(): void {
    this.#unsubscribe = [...this.#sources].flatMap((bus) => names.map((name) => this.#listen(bus, name)));
  }

  #listen(bus: EventBus<RunEvents>, name: Name): () => void {
    return bus.on(name, (data: RunEvents[Name]) => this.#hear(name, data));
  }

  #hear<Event extends Name>(name: Event, data: RunEvents[Event]): void {
    const { runId, parentRunId = "" } = data;
    const isOurs = this.#within.has(runId) || this.#own.has(parentRunId) || this.#within.has(parentRunId);
    if (!isOurs || this.#told.has(data)) return;
    this.#told.add(data);
    if (name === "run.start") this.#within.add(runId);
    this.#target.emit(name, data);
    if (name !== "run.complete" && name !== "run.error") return;
    this.#within.delete(runId);
    this.#leave();
  }

  #leave(): void {
    if (!this.#isQuiet) return;
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    this.#told = new WeakSet();
  }
}
