import { describe, expect, it } from "vitest";
import { measureJson } from "./measure-json.ts";

describe("measureJson", () => {
  it.each([1, -0.5, "é", "", null, true, [], {}, [1, 2], { a: 1, é: [null, { b: "c" }] }, [[], {}, [[]]]])(
    "counts the bytes of %j as JSON",
    (value) => {
      const bytes = Buffer.byteLength(JSON.stringify(value));

      expect(measureJson(value, { bytes })).toEqual({ bytes });
      expect(measureJson(value, { bytes: bytes - 1 })).toMatchObject({ exceeded: "bytes" });
    },
  );

  it("counts values and names, and levels", () => {
    const value = { a: [[1]] };

    expect(measureJson(value, { values: 5, depth: 3 }).exceeded).toBeUndefined();
    expect(measureJson(value, { values: 4 }).exceeded).toBe("values");
    expect(measureJson(value, { depth: 2 }).exceeded).toBe("depth");
  });

  it("takes a value that nests deeper than the stack", () => {
    const deep = JSON.parse(`${"[".repeat(200_000)}${"]".repeat(200_000)}`) as unknown;

    expect(measureJson(deep, {}).exceeded).toBe("depth");
    expect(measureJson(deep, { depth: Infinity }).bytes).toBe(400_000);
  });
});
