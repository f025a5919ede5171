import { describe, expect, it } from "vitest";
import { stackFrames } from "./stack-frames.ts";

describe("stackFrames", () => {
  it("returns at most eight frames, without the message", () => {
    const frames = stackFrames(new Error("secret text\n    at secret (line:2)"));

    expect(frames[0]).toMatch(/^at .*stack-frames\.test\.ts/);
    expect(frames.length).toBeLessThanOrEqual(8);
    expect(frames.join("\n")).not.toContain("secret");
  });

  it.each([undefined, "text", {}, { stack: 5 }])("returns no frames for %s", (value) => {
    expect(stackFrames(value)).toEqual([]);
  });
});
