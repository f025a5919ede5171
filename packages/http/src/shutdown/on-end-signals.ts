const signals = ["SIGTERM", "SIGINT"] as const;

/** Calls `onFirst` for the first signal that asks the process to end. At the second it ends, with exit code 1. */
export function onEndSignals(onFirst: () => void): void {
  let isFirst = true;
  const onSignal = (): void => {
    if (!isFirst) process.exit(1);
    isFirst = false;
    onFirst();
  };
  for (const signal of signals) process.on(signal, onSignal);
}
