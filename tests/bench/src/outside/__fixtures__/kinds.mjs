// The protocol of a measured process: it is told a kind of run, a number and how many at a time, makes the runs, and answers
// with its processor time and the time that passed.
import { readFileSync } from "node:fs";

export const instructions = "Answer in one sentence.";
export const input = "What should I take along to Oslo?";
export const weather = { name: "weather", description: "The weather of a city." };

/** Returns the version of a package that is installed beside this file's folder. */
export function versionOf(name) {
  const file = new URL(`../node_modules/${name}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")).version;
}

/** Answers the orders of the bench. Each run returns its text, which must be the vendor's. */
export function answerKinds(version, runs) {
  process.on("message", async ({ kind, count, concurrency }) => {
    try {
      const [cpu, began] = [process.cpuUsage(), performance.now()];
      let left = count;
      const work = async () => {
        while (left-- > 0) {
          const text = await runs[kind]();
          if (!text.startsWith("word")) throw new Error(`The answer of ${kind} was ${JSON.stringify(text)}.`);
        }
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
