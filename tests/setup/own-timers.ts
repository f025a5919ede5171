import { AsyncLocalStorage } from "node:async_hooks";
import { EventEmitter } from "node:events";
import { Server, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, aroundAll, expect, vi } from "vitest";

type Timers = Record<string, (...args: unknown[]) => unknown>;

const makers = ["setTimeout", "setInterval", "setImmediate"];
const clearers = ["clearTimeout", "clearInterval", "clearImmediate"];
const globals = globalThis as unknown as Timers;

/**
 * Knows which test file each timer belongs to. Test files share their worker. A service that an earlier file did not close,
 * or a socket that it has left to end, may set its next timer while a later file fakes timers. Such a timer stays a real one,
 * so that a file counts and moves only its own timers.
 */
class OwnTimers {
  /** The file whose tests run. */
  file = "";
  readonly #owner = new AsyncLocalStorage<string>();
  readonly #real: Timers = {};
  /** The real intervals that are not cleared, and where each was set. */
  readonly #intervals = new Map<unknown, { readonly file: string; readonly at: Error }>();

  constructor() {
    for (const name of makers) this.#wrapMaker(name);
    for (const name of clearers) this.#wrapClearer(name);
    this.#wrapConnections();
  }

  /** Returns the lines of product code that have set the intervals of a file which are not cleared. */
  intervalsOf(file: string): string[] {
    const left = [...this.#intervals.values()].filter((each) => each.file === file);
    return [...new Set(left.flatMap(({ at }) => productLine.exec(setterIn(at))?.[0] ?? []))];
  }

  /** True while code of an earlier file runs. */
  get #isForeign(): boolean {
    const owner = this.#owner.getStore();
    return owner !== undefined && owner !== this.file;
  }

  /** Calls the function as code of a file, with all that it awaits, and that its timers, sockets and servers call later. */
  runAs<Result>(file: string, work: () => Result): Result {
    return this.#owner.run(file, work);
  }

  /** Lets only the code of this file use the fakes that are the globals now. */
  shareFakes(): void {
    for (const name of [...makers, ...clearers]) {
      const [fake, real] = [globals[name], this.#real[name]];
      if (fake === undefined || real === undefined || fake === real) continue;
      globals[name] = like(fake, (...args) => (this.#isForeign ? real(...args) : fake(...args)));
    }
  }

  /** Makes what a real timer calls code of the file that has set the timer, also where that was done while it was loaded. */
  #wrapMaker(name: string): void {
    const make = globals[name];
    if (make === undefined) return;
    const owner = this.#owner;
    this.#real[name] = globals[name] = like(make, (callback, ...rest) => {
      const file = owner.getStore() ?? this.file;
      if (typeof callback !== "function") return make(callback, ...rest);
      const timer = make(
        function (this: unknown, ...args: unknown[]) {
          return owner.run<unknown>(file, () => Reflect.apply(callback, this, args) as unknown);
        },
        ...rest,
      );
      if (name === "setInterval") this.#intervals.set(timer, { file, at: new Error("set here") });
      return timer;
    });
  }

  /** Makes what the connection of a server calls code of the server's file. Node knows that of clients, and of requests. */
  #wrapConnections(): void {
    const runAs = this.runAs.bind(this);
    const ownerNow = () => this.#owner.getStore() ?? this.file;
    Server.prototype.emit = function (this: Server, name: string | symbol, ...args: unknown[]): boolean {
      const [socket] = args;
      if (name === "connection" && socket instanceof Socket) {
        const owner = ownerNow();
        const tell = socket.emit.bind(socket) as (...given: unknown[]) => boolean;
        socket.emit = (...given: unknown[]) => runAs(owner, () => tell(...given));
      }
      return EventEmitter.prototype.emit.call(this, name, ...args);
    };
  }

  #wrapClearer(name: string): void {
    const clear = globals[name];
    if (clear === undefined) return;
    this.#real[name] = globals[name] = like(clear, (timer) => {
      this.#intervals.delete(timer);
      return clear(timer);
    });
  }
}

/** Returns the line of a stack that has called the global: the first one outside this file. A library may be there. */
function setterIn({ stack = "" }: Error): string {
  const [, ...lines] = stack.split("\n");
  return lines.find((line) => !line.includes("own-timers.ts")) ?? "";
}

/** Matches the place of a call in product code. */
const productLine = /(?:packages|internal)\/[\w-]+\/(?:src|client)\/(?!\S*(?:\.test\.ts|\/test\/))[\w./-]+:\d+/;

/** Returns the function with the properties of another, such as its form for `promisify`, or the clock of a fake. */
function like(other: Timers[string], wrapped: Timers[string]): Timers[string] {
  return Object.defineProperties(wrapped, Object.getOwnPropertyDescriptors(other));
}

// One for all files of a worker, which runs this file again for each of them.
const shared = globalThis as { ownTimers?: OwnTimers };
const own = (shared.ownTimers ??= begin());
own.file = expect.getState().testPath ?? "";

function begin(): OwnTimers {
  const begun = new OwnTimers();
  const { useFakeTimers } = vi;
  Object.assign(vi, {
    useFakeTimers: (...args: Parameters<typeof useFakeTimers>) => {
      const result = useFakeTimers(...args);
      begun.shareFakes();
      return result;
    },
  });
  return begun;
}

aroundAll(async (runFile) => await own.runAs(own.file, runFile));

/** The pauses in which a close that the file has begun may end, in milliseconds. */
const closingMs = Array.from({ length: 400 }, () => 20);

// A service that a file does not close works on while later files of the worker run.
afterAll(async () => {
  for (const ms of closingMs) if (own.intervalsOf(own.file).length > 0) await sleep(ms);
  const left = own.intervalsOf(own.file);
  if (left.length > 0) throw new Error(`This file leaves running what it has made: ${left.join(", ")}. Close it.`);
});
