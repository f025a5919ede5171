/** A signal that counts its listeners. */
export function countedSignal(): { signal: AbortSignal; abort: (reason?: unknown) => void; listeners: () => number } {
  const controller = new AbortController();
  const { signal } = controller;
  const listening = new Set<unknown>();
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listening.add(args[1]);
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listening.delete(args[1]);
    remove(...args);
  };
  return { signal, abort: (reason) => controller.abort(reason), listeners: () => listening.size };
}
