import { functionOption, optional } from "../errors/option-checks.ts";
import { readOptions, wrongOption } from "../errors/read-options.ts";
import type { OptionTable } from "../errors/read-options.ts";

/**
 * Function that an `EventBus` calls with the data of one kind of event. Its errors and rejected promises go to the
 * bus's `onHandlerError`.
 */
export type EventHandler<Data> = (data: Data) => unknown;

/** Options of an `EventBus`. */
export type EventBusOptions = {
  /** Receives the errors of handlers. @default errors are ignored */
  onHandlerError?: HandlerErrorListener | undefined;
};

type HandlerErrorListener = (error: unknown, eventName: string) => void;

const optionTable = {
  onHandlerError: optional(functionOption<HandlerErrorListener>()),
} satisfies OptionTable<EventBusOptions>;

type Subscription = { handler: EventHandler<never>; active: boolean };

/**
 * Events by name and their handlers. `emit` is synchronous, calls handlers in the order of subscription, and never
 * throws. A handler added during an event receives the next event; a handler removed during an event receives no more
 * events.
 */
export class EventBus<Events extends object> {
  /**
   * Arrays of subscriptions are replaced instead of changed, so that an event that is being emitted keeps its array.
   */
  readonly #subscriptions = new Map<string, readonly Subscription[]>();
  readonly #onHandlerError: HandlerErrorListener | undefined;

  constructor(options: EventBusOptions = {}) {
    this.#onHandlerError = readOptions(optionTable, options, { owner: "EventBus" }).onHandlerError;
  }

  /**
   * Subscribes a handler and returns the function that ends the subscription. A handler added twice is called twice.
   */
  on<Name extends keyof Events & string>(name: Name, handler: EventHandler<Events[Name]>): () => void {
    if (typeof name !== "string") throw wrongOption("The event name", "a string", name);
    if (typeof handler !== "function") throw wrongOption(`The handler of ${name}`, "a function", handler);
    const subscription: Subscription = { handler, active: true };
    this.#subscriptions.set(name, [...(this.#subscriptions.get(name) ?? []), subscription]);
    return () => this.#remove(name, (each) => each === subscription);
  }

  /** Ends all subscriptions of the handler to the event. */
  off<Name extends keyof Events & string>(name: Name, handler: EventHandler<Events[Name]>): void {
    this.#remove(name, (each) => each.handler === handler);
  }

  /** Returns true if the event has handlers. Call it before creating expensive event data. */
  has(name: keyof Events & string): boolean {
    return this.#subscriptions.has(name);
  }

  /** Calls the handlers of the event with its data. */
  emit<Name extends keyof Events & string>(name: Name, data: Events[Name]): void {
    const subscriptions = this.#subscriptions.get(name);
    if (subscriptions === undefined) return;
    for (const { active, handler } of subscriptions) {
      if (active) this.#call(handler as EventHandler<Events[Name]>, name, data);
    }
  }

  #call<Data>(handler: EventHandler<Data>, name: string, data: Data): void {
    try {
      const result = handler(data);
      if (typeof result !== "object" || result === null) return;
      Promise.resolve(result).catch((error: unknown) => this.#report(error, name));
    } catch (error) {
      this.#report(error, name);
    }
  }

  #report(error: unknown, name: string): void {
    try {
      this.#onHandlerError?.(error, name);
    } catch {
      // A failing listener of handlers' errors must not end the run.
    }
  }

  #remove(name: string, isMeant: (subscription: Subscription) => boolean): void {
    const kept: Subscription[] = [];
    for (const subscription of this.#subscriptions.get(name) ?? []) {
      if (isMeant(subscription)) subscription.active = false;
      else kept.push(subscription);
    }
    if (kept.length > 0) this.#subscriptions.set(name, kept);
    else this.#subscriptions.delete(name);
  }
}
