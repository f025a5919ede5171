import { describe, expect, it } from "vitest";
import { stackFrames } from "./stack-frames.ts";

describe("stackFrames", () => {
  it("gives at most eight lines of where the error was made, without its message", () => {
    const frames = stackFrames(new Error("secret text\n    at secret (line:2)"));

    expect(frames[0]).toMatch(/^at .*stack-frames\.test\.ts/);
    expect(frames.length).toBeLessThanOrEqual(8);
    expect(frames.join("\n")).not.toContain("secret");
  });

  it.each([undefined, "text", {}, { stack: 5 }])("gives none for %s", (value) => {
    expect(stackFrames(value)).toEqual([]);
  });
});
