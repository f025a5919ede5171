import { hostname } from "node:os";
import { describe, expect, it } from "vitest";
import { readSettings } from "./settings.ts";

describe("readSettings", () => {
  it("names the server among others by its host and port, and by the machine where it listens to all", () => {
    expect(readSettings({ PORT: "3001" }).node).toBe("127.0.0.1:3001");
    expect(readSettings({ PORT: "3001", HOST: "0.0.0.0" }).node).toBe(`${hostname()}:3001`);
    expect(readSettings({ HOST: "::1" }).node).toBe("[::1]:3000");
    expect(readSettings({ PORT: "0" }).node).toBe(`127.0.0.1:${process.pid}`);
  });

  it("takes a key that servers share, and refuses a short one without showing it", () => {
    const key = "k".repeat(32);

    expect(readSettings({ TROUPE_DEMO_SEAL_KEY: key }).sealKey).toBe(key);
    expect(readSettings({ TROUPE_DEMO_SEAL_KEY: "" }).sealKey).toBeUndefined();
    expect(() => readSettings({ TROUPE_DEMO_SEAL_KEY: "hunter2" })).toThrow(/at least 32 characters, got 7/);
    expect(() => readSettings({ TROUPE_DEMO_SEAL_KEY: "hunter2" })).not.toThrow("hunter2");
  });

  it("refuses an unknown variable of its own", () => {
    expect(() => readSettings({ TROUPE_DEMO_SEALKEY: "x" })).toThrow("Unknown variable TROUPE_DEMO_SEALKEY");
  });
});
