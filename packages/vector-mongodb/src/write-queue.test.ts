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
