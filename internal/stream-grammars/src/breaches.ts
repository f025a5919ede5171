// One list for a process, whatever copies of this module it has: a test runner may load it more than once.
const shared = globalThis as { grammarBreaches?: Error[] };
const breaches = (shared.grammarBreaches ??= []);

/** Carries out a step of a grammar, and keeps its breach. Where streams are read, nothing could catch an error. */
export function keepBreach(stream: string, step: () => void): void {
  try {
    step();
  } catch (error) {
    breaches.push(new Error(`${stream}: ${(error as Error).message}`, { cause: error }));
  }
}

/** Returns the breaches since the last call. A test that reads a broken stream on purpose takes its breaches. */
export function takeBreaches(): Error[] {
  return breaches.splice(0);
}
