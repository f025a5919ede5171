import { useEffect, useReducer, useRef } from "preact/hooks";

/** A state that is replaced as a whole, and notifies its listeners. */
export class Store<State extends object> {
  #state: State;
  readonly #listeners = new Set<() => void>();

  constructor(state: State) {
    this.#state = state;
  }

  /** The current state. It is never changed in place. */
  get state(): State {
    return this.#state;
  }

  /** Calls a function after each change, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Changes fields of the state. */
  protected set(change: Partial<State>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/** Returns the state of a store to a component, which is rendered again after each change. */
export function useStore<State extends object>(store: Store<State>): State;
/** Returns a value from the state of a store to a component, which is rendered again when that value changes. */
export function useStore<State extends object, Value>(store: Store<State>, select: (state: State) => Value): Value;
export function useStore<State extends object>(
  store: Store<State>,
  select: (state: State) => unknown = (state) => state,
): unknown {
  const [, showAnew] = useReducer<number, undefined>((count) => count + 1, 0);
  const value = select(store.state);
  const shown = useRef(value);
  shown.current = value;
  useEffect(
    () =>
      store.subscribe(() => {
        if (select(store.state) !== shown.current) showAnew(undefined);
      }),
    [store],
  );
  return value;
}
