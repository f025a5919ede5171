import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { WriteQueue } from "./write-queue.ts";

it("a write queue runs the work of one name in order, also after a failure, and the work of other names at once", async () => {
  const queue = new WriteQueue();
  const order: string[] = [];
  const work =
    (name: string, rejects = false) =>
    async () => {
      order.push(`${name} begins`);
      await Promise.resolve();
      order.push(`${name} ends`);
      if (rejects) throw new Error(name);
      return name;
    };
  const failed = queue.run("a", work("a1", true));
  const rest = [queue.run("a", work("a2")), queue.run("b", work("b1"))];

  await expect(failed).rejects.toThrow("a1");
  expect(await Promise.all(rest)).toEqual(["a2", "b1"]);
  expect(order.indexOf("a2 begins")).toBeGreaterThan(order.indexOf("a1 ends"));
  expect(order.indexOf("b1 begins")).toBeLessThan(order.indexOf("a1 ends"));
});

it("lets work that comes later wait for all that is under way, whatever has ended or failed before", async () => {
  const queue = new WriteQueue();
  const begun: string[] = [];
  const works = ["first", "second", "third", "fourth"].map((name) => ({ name, end: Promise.withResolvers<void>() }));
  const run = async ({ name, end }: (typeof works)[number]): Promise<void> =>
    await queue
      .run("a", async () => {
        begun.push(name);
        await end.promise;
      })
      .catch(() => undefined);
  const ended = works.slice(0, 2).map(run);
  for (const [index, { name, end }] of works.entries()) {
    await setImmediate();
    expect(begun).toEqual(works.slice(0, index + 1).map((each) => each.name));
    if (index === 1) end.reject(new Error(name));
    else end.resolve();
    await ended[index];
    ended.push(...works.slice(index + 2, index + 3).map(run));
  }
  await Promise.all(ended);
});
