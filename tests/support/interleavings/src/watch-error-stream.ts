import { AsyncLocalStorage } from "node:async_hooks";

const scene = new AsyncLocalStorage<object>();

/** The lines that a test has written to standard error, and the function that stops watching. */
export type WatchedErrors = { readonly lines: string[]; readonly restore: () => void };

/**
 * Collects what the test writes to standard error from now on, until `restore`. Call it in the test, not in a hook.
 * Output of code that earlier files of the worker left behind still goes to the stream.
 */
export function watchErrorStream(): WatchedErrors {
  const { stderr } = process;
  const own = Object.getOwnPropertyDescriptor(stderr, "write");
  const write = stderr.write.bind(stderr);
  const [lines, mark]: [string[], object] = [[], {}];
  scene.enterWith(mark);
  const watched = (...written: Parameters<typeof write>): boolean => {
    if (scene.getStore() !== mark) return write(...written);
    lines.push(String(written[0]));
    return true;
  };
  Object.defineProperty(stderr, "write", { value: watched, configurable: true, writable: true });
  const restore = (): void => {
    if (own === undefined) delete (stderr as { write?: unknown }).write;
    else Object.defineProperty(stderr, "write", own);
  };
  return { lines, restore };
}
