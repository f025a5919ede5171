/** Runs an async generator to its end, ignores the values it yields, and returns its return value. */
export async function drain<Result>(generator: AsyncGenerator<unknown, Result>): Promise<Result> {
  let step = await generator.next();
  while (step.done !== true) step = await generator.next();
  return step.value;
}
