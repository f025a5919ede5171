/** A call that waits until the test lets it go. */
export type HeldUp = {
  /** Resolves when the call has come. */
  readonly reached: Promise<void>;
  readonly letGo: () => void;
};

/** Holds up the next call of this method, so that a test can say what happens before it goes to the server. */
export function holdUp<Name extends string>(target: { [Method in Name]: unknown }, name: Name): HeldUp {
  const [reached, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const original = target[name] as (...args: unknown[]) => unknown;
  target[name] = async (...args: unknown[]): Promise<unknown> => {
    target[name] = original;
    reached.resolve();
    await gone.promise;
    return await Reflect.apply(original, target, args);
  };
  return { reached: reached.promise, letGo: () => gone.resolve() };
}
