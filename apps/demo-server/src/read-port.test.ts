import { describe, expect, it } from "vitest";
import { readPort } from "./read-port.ts";

describe("readPort", () => {
  it("takes a whole number, and 3000 when nothing is said", () => {
    expect([readPort("8080"), readPort("0"), readPort(undefined), readPort("")]).toEqual([8080, 0, 3000, 3000]);
  });

  it.each(["http", "-1", "65536", "1.5", "1e3", " 80"])("refuses %j with a sentence", (text) => {
    expect(() => readPort(text)).toThrowError(/^PORT must be a whole number from 0 to 65535/);
  });
});
