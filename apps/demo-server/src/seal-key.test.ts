import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readSealKey } from "./seal-key.ts";

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "troupe-seal-key-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe("readSealKey", () => {
  it("makes a key once, in a file that only its owner may read", async () => {
    const folder = makeFolder();

    const key = await readSealKey(folder);

    expect(Buffer.from(key, "base64url")).toHaveLength(32);
    expect(await readSealKey(folder)).toBe(key);
    expect(await readSealKey(makeFolder())).not.toBe(key);
    expect(readdirSync(folder)).toEqual(["seal.key"]);
    expect(statSync(join(folder, "seal.key")).mode & 0o777).toBe(0o600);
  });

  it("gives all who start together the same key", async () => {
    const folder = makeFolder();

    const keys = await Promise.all(Array.from({ length: 20 }, async () => await readSealKey(folder)));

    expect(new Set(keys)).toEqual(new Set([readFileSync(join(folder, "seal.key"), "utf8").trim()]));
    expect(readdirSync(folder)).toEqual(["seal.key"]);
  });

  it.each(["\n", "short", "x".repeat(200)])("refuses the damaged key %j without showing it", async (damaged) => {
    const folder = makeFolder();
    writeFileSync(join(folder, "seal.key"), damaged);

    const failure: unknown = await readSealKey(folder).catch((error: unknown) => error);

    expect(failure).toMatchObject({ code: "invalid_config", message: expect.stringContaining("Restore it") });
    expect(String(failure)).not.toContain(damaged);
    expect(readFileSync(join(folder, "seal.key"), "utf8")).toBe(damaged);
  });
});
