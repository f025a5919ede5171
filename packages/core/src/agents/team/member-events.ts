import type { EventBus } from "../../base/events/event-bus.ts";
import { runEventNames } from "../run/run-events.ts";
import type { RunEventName, RunEvents } from "../run/run-events.ts";
import type { Runnable } from "../run/runnable.ts";

/**
 * Forwards events of the members' buses to the team's bus, including events of nested members. A member may also run
 * outside the team, so only events of this team's runs and their child runs are forwarded. While no run is in progress,
 * the team listens to no bus.
 */
export class MemberEvents {
  readonly #target: EventBus<RunEvents>;
  readonly #sources: ReadonlySet<EventBus<RunEvents>>;
  /** The ids of the team's runs in progress, and of the child runs within them. */
  readonly #teamRuns = new Set<string>();
  readonly #childRuns = new Set<string>();
  /** Events that were already forwarded. An event may return, because event buses may forward to each other. */
  #forwarded = new WeakSet<object>();
  #unsubscribe: (() => void)[] = [];

  constructor(target: EventBus<RunEvents>, members: readonly Runnable[]) {
    this.#target = target;
    this.#sources = new Set(members.map(({ eventBus }) => eventBus).filter((bus) => bus !== target));
  }

  /** Starts to forward the members' events, for one run of the team. */
  open(runId: string): void {
    if (this.#isIdle) this.#subscribe();
    this.#teamRuns.add(runId);
  }

  /**
   * Stops forwarding the members' events for a run of the team. Child runs that are still in progress are forwarded to
   * their end.
   */
  close(runId: string): void {
    this.#teamRuns.delete(runId);
    this.#unsubscribeIfIdle();
  }

  get #isIdle(): boolean {
    return this.#teamRuns.size + this.#childRuns.size === 0;
  }

  #subscribe(): void {
    this.#unsubscribe = [...this.#sources].flatMap((bus) => runEventNames.map((name) => this.#subscribeTo(bus, name)));
  }

  #subscribeTo(bus: EventBus<RunEvents>, name: RunEventName): () => void {
    return bus.on(name, (data: RunEvents[RunEventName]) => this.#forward(name, data));
  }

  #forward<Event extends RunEventName>(name: Event, data: RunEvents[Event]): void {
    const { runId, parentRunId = "" } = data;
    const isOurs = this.#childRuns.has(runId) || this.#teamRuns.has(parentRunId) || this.#childRuns.has(parentRunId);
    if (!isOurs || this.#forwarded.has(data)) return;
    this.#forwarded.add(data);
    if (name === "run.start") this.#childRuns.add(runId);
    this.#target.emit(name, data);
    if (name !== "run.complete" && name !== "run.error") return;
    this.#childRuns.delete(runId);
    this.#unsubscribeIfIdle();
  }

  #unsubscribeIfIdle(): void {
    if (!this.#isIdle) return;
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    this.#forwarded = new WeakSet();
  }
}
