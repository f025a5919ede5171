// The protocol of a measured process: it is told a number of runs and how many at a time, makes them, and answers with its
// processor time and the time that passed.
export function answerRounds(version, run) {
  process.on("message", async ({ count, concurrency }) => {
    try {
      const [cpu, began] = [process.cpuUsage(), performance.now()];
      let left = count;
      const work = async () => {
        while (left-- > 0) await run();
      };
      await Promise.all(Array.from({ length: concurrency }, work));
      const { user, system } = process.cpuUsage(cpu);
      process.send({ cpuUs: user + system, ms: performance.now() - began });
    } catch (error) {
      process.send({ failure: String(error?.stack ?? error) });
    }
  });
  process.send({ version });
}

/** The result of a step. */
export const answer = "A sentence of the answer. ".repeat(8);
