// One list per process, because a test runner may load several copies of this module.
const shared = globalThis as { grammarBreaches?: Error[] };
const breaches = (shared.grammarBreaches ??= []);

/** Runs a step of a grammar, and stores its violation, because code that reads streams could not catch an error. */
export function keepBreach(stream: string, step: () => void): void {
  try {
    step();
  } catch (error) {
    breaches.push(new Error(`${stream}: ${(error as Error).message}`, { cause: error }));
  }
}

/** Returns the violations since the last call. A test that reads a broken stream on purpose takes its violations. */
export function takeBreaches(): Error[] {
  return breaches.splice(0);
}
