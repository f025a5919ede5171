import { wrongOption } from "../errors/read-options.ts";

/** Hears one kind of event. What it throws, and a promise of it that rejects, goes to the bus's `onHandlerError`. */
export type EventHandler<Data> = (data: Data) => unknown;

/** How a bus is set up. */
export type EventBusOptions = {
  /** Hears of handlers that fail. @default nobody does */
  onHandlerError?: (error: unknown, eventName: string) => void;
};

type Subscription = { handler: EventHandler<never>; active: boolean };

/**
 * Tells whoever listens what happens, by event name. `emit` is synchronous, calls handlers in the order in which they came,
 * and never throws. A handler added during an event hears the next one; a handler removed during an event hears no more.
 */
export class EventBus<Events extends object> {
  /** Lists are replaced, never changed: an event that is under way keeps the list it began with. */
  readonly #subscriptions = new Map<string, readonly Subscription[]>();
  readonly #onHandlerError: ((error: unknown, eventName: string) => void) | undefined;

  constructor({ onHandlerError }: EventBusOptions = {}) {
    if (onHandlerError !== undefined && typeof onHandlerError !== "function") {
      throw wrongOption("onHandlerError", "a function", onHandlerError);
    }
    this.#onHandlerError = onHandlerError;
  }

  /** Subscribes, and returns the function that ends the subscription. A handler that is added twice is called twice. */
  on<Name extends keyof Events & string>(name: Name, handler: EventHandler<Events[Name]>): () => void {
    if (typeof name !== "string") throw wrongOption("The event name", "a string", name);
    if (typeof handler !== "function") throw wrongOption(`The handler of ${name}`, "a function", handler);
    const subscription: Subscription = { handler, active: true };
    this.#subscriptions.set(name, [...(this.#subscriptions.get(name) ?? []), subscription]);
    return () => this.#remove(name, (each) => each === subscription);
  }

  /** Ends every subscription of the handler to the event. */
  off<Name extends keyof Events & string>(name: Name, handler: EventHandler<Events[Name]>): void {
    this.#remove(name, (each) => each.handler === handler);
  }

  /** Whether anybody listens: where an event is dear to make, ask first. */
  has(name: keyof Events & string): boolean {
    return this.#subscriptions.has(name);
  }

  /** Calls the handlers of the event. Costs next to nothing when there are none. */
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
      // There is nobody left to tell, and the run goes on.
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
