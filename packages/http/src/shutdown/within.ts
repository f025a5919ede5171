/** Whether the work is done within the time. */
export async function within(work: Promise<unknown>, timeMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeIsUp = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), timeMs);
  });
  try {
    return await Promise.race([work.then(() => true as const), timeIsUp]);
  } finally {
    clearTimeout(timer);
  }
}
