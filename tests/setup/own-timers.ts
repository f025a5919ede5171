import { AsyncLocalStorage } from "node:async_hooks";
import { expect, vi } from "vitest";

type Timers = Record<string, (...args: unknown[]) => unknown>;

const makers = ["setTimeout", "setInterval", "setImmediate"];
const clearers = ["clearTimeout", "clearInterval", "clearImmediate"];
const globals = globalThis as unknown as Timers;

/**
 * Knows which test file each timer belongs to. Test files share their worker. A service that an earlier file did not close
 * may set its next timer while a later file fakes timers. Such a timer stays a real one, so that a file counts and moves
 * only its own timers.
 */
class OwnTimers {
  /** The file whose tests run. */
  file = "";
  readonly #owner = new AsyncLocalStorage<string>();
  readonly #real: Timers = {};

  constructor() {
    for (const name of makers) this.#wrapMaker(name);
    for (const name of clearers) this.#real[name] = globals[name] as Timers[string];
  }

  /** True while code of an earlier file runs. */
  get #isForeign(): boolean {
    const owner = this.#owner.getStore();
    return owner !== undefined && owner !== this.file;
  }

  /** Lets only the code of this file use the fakes that are the globals now. */
  shareFakes(): void {
    for (const name of [...makers, ...clearers]) {
      const [fake, real] = [globals[name], this.#real[name]];
      if (fake === undefined || real === undefined || fake === real) continue;
      globals[name] = like(fake, (...args) => (this.#isForeign ? real(...args) : fake(...args)));
    }
  }

  /** Makes what a real timer calls remember the file that has set the timer, through all that it awaits. */
  #wrapMaker(name: string): void {
    const make = globals[name];
    if (make === undefined) return;
    const owner = this.#owner;
    this.#real[name] = globals[name] = like(make, (callback, ...rest) => {
      const file = owner.getStore() ?? this.file;
      if (typeof callback !== "function") return make(callback, ...rest);
      return make(
        function (this: unknown, ...args: unknown[]) {
          return owner.run<unknown>(file, () => Reflect.apply(callback, this, args) as unknown);
        },
        ...rest,
      );
    });
  }
}

/** Returns the function with the properties of another, such as its form for `promisify`, or the clock of a fake. */
function like(other: Timers[string], wrapped: Timers[string]): Timers[string] {
  return Object.defineProperties(wrapped, Object.getOwnPropertyDescriptors(other));
}

// One for all files of a worker, which runs this file again for each of them.
const shared = globalThis as { ownTimers?: OwnTimers };
if (shared.ownTimers === undefined) {
  const own = (shared.ownTimers = new OwnTimers());
  const { useFakeTimers } = vi;
  Object.assign(vi, {
    useFakeTimers: (...args: Parameters<typeof useFakeTimers>) => {
      const result = useFakeTimers(...args);
      own.shareFakes();
      return result;
    },
  });
}
shared.ownTimers.file = expect.getState().testPath ?? "";
