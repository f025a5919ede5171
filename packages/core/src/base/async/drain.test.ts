import { describe, expect, it } from "vitest";
import { drain } from "./drain.ts";

async function* counting(end: () => string): AsyncGenerator<number, string> {
  yield 1;
  yield 2;
  return end();
}

describe("drain", () => {
  it("returns what the generator returns", async () => {
    expect(await drain(counting(() => "end"))).toBe("end");
  });

  it("asks for one value after the other, to the end", async () => {
    const seen: string[] = [];
    async function* noting(): AsyncGenerator<number, string> {
      for (const each of [1, 2]) {
        seen.push(`begins ${each}`);
        await new Promise((resolve) => setImmediate(resolve));
        seen.push(`ends ${each}`);
        yield each;
      }
      return "end";
    }

    expect(await drain(noting())).toBe("end");
    expect(seen).toEqual(["begins 1", "ends 1", "begins 2", "ends 2"]);
  });

  it("asks no more of a generator that is over at once", async () => {
    let asked = 0;
    const over = {
      next: async () => await Promise.resolve({ done: true as const, value: ++asked }),
    } as unknown as AsyncGenerator<never, number>;

    expect([await drain(over), asked]).toEqual([1, 1]);
  });

  it("rejects with the error of the generator", async () => {
    const failing = counting(() => {
      throw new Error("broken");
    });

    await expect(drain(failing)).rejects.toThrow("broken");
  });
});
