import { describe, expect, it } from "vitest";
import { readProperty } from "./read-property.ts";

describe("readProperty", () => {
  it("reads own and inherited properties of objects and functions", () => {
    expect(readProperty(new Error("text"), "message")).toBe("text");
    expect(readProperty(new TypeError("text"), "name")).toBe("TypeError");
    expect(readProperty(function named() {}, "name")).toBe("named");
  });

  it.each([undefined, null, "text", 5, 5n, true, Symbol("s")])("returns undefined for a property of %s", (value) => {
    expect(readProperty(value, "length")).toBeUndefined();
  });

  it("treats a throwing getter and a revoked proxy as absent", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const hostile = {
      get code(): string {
        throw new Error("no");
      },
    };

    expect(readProperty(hostile, "code")).toBeUndefined();
    expect(readProperty(proxy, "code")).toBeUndefined();
  });
});
