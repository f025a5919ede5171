import timers from "node:timers/promises";
import fc from "fast-check";
import { afterAll } from "vitest";

/** The globals by which code keeps time and asks others, as the worker had them first: its files share them. */
type Kept = { readonly globals: Readonly<Record<string, unknown>>; readonly sleep: unknown };

const names = [
  "setTimeout",
  "clearTimeout",
  "setInterval",
  "clearInterval",
  "setImmediate",
  "clearImmediate",
  "queueMicrotask",
  "Date",
  "fetch",
];
const place = Symbol.for("troupe.test-globals");
const held = globalThis as unknown as Record<string | symbol, unknown>;
const first = (held[place] ??= readAll()) as Kept;

function readAll(): Kept {
  return {
    globals: Object.fromEntries(names.map((name) => [name, held[name]])),
    sleep: timers.setTimeout,
  };
}

/** Returns the names of the globals that are not as they were, after having put them back. */
export function restoreGlobals(): string[] {
  const now = readAll();
  const changed = names.filter((name) => now.globals[name] !== first.globals[name]);
  for (const name of changed) held[name] = first.globals[name];
  if (now.sleep !== first.sleep) changed.push("setTimeout of node:timers/promises");
  Object.assign(timers, { setTimeout: first.sleep });
  return changed;
}

// A report of tests holds messages without their causes.
fc.configureGlobal({ includeErrorInReport: true });

// What a file leaves changed holds up the next file of its worker, which then only waits: nobody would look here.
afterAll(() => {
  const changed = restoreGlobals();
  if (changed.length > 0)
    throw new Error(`This file leaves ${changed.join(", ")} changed. Restore what it fakes or spies on.`);
});
