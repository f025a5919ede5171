/**
 * Lets all work go on that waits for no timer, also work that needs several turns of the event loop. For a test that says
 * what does not happen: it takes no time, and does not depend on the speed of the machine.
 */
export async function letRun(): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
}

/** More turns than any chain of promises, streams and local connections takes. */
const turns = 100;
