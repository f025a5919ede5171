import { describe, expect, it } from "vitest";
import { readAddress } from "./listen.ts";

describe("readAddress", () => {
  it("takes HOST and PORT, and defaults to port 3000 of this machine", () => {
    expect(readAddress({ HOST: "0.0.0.0", PORT: "8080" })).toEqual({ host: "0.0.0.0", port: 8080 });
    expect(readAddress({ HOST: "", PORT: "0" })).toEqual({ host: "127.0.0.1", port: 0 });
    for (const PORT of [undefined, ""]) expect(readAddress({ PORT })).toEqual({ host: "127.0.0.1", port: 3000 });
  });

  it.each(["http", "-1", "65536", "1.5", "1e3", " 80"])("refuses %j as a port", (PORT) => {
    expect(() => readAddress({ PORT })).toThrowError(/^PORT must be an integer from 0 to 65535/);
  });
});
