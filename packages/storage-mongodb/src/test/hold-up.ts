/** A call that waits until the test releases it. */
export type HeldUp = {
  /** Resolves when the call was made. */
  readonly reached: Promise<void>;
  readonly letGo: () => void;
};

/** Makes the next call of a method wait for `letGo`, so that a test can act before the request is sent. */
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
