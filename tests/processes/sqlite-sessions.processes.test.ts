import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, onTestFinished } from "vitest";
import { trySessions } from "./session-trials.ts";

describe("a session in an SQLite file", () => {
  trySessions(() => {
    const folder = mkdtempSync(join(tmpdir(), "processes-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    return { kind: "sqlite", address: join(folder, "sessions.db") };
  });
});
