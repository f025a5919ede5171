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

  it("rejects with the error of the generator", async () => {
    const failing = counting(() => {
      throw new Error("broken");
    });

    await expect(drain(failing)).rejects.toThrow("broken");
  });
});
