/** Runs a generator to its end, passes over what it yields, and returns what it returns. */
export async function drain<Result>(generator: AsyncGenerator<unknown, Result>): Promise<Result> {
  let step = await generator.next();
  while (step.done !== true) step = await generator.next();
  return step.value;
}
