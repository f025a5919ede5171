import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TestChild } from "@troupe-internal/fault-tools";
import { OperationLog } from "./operation-log.ts";
import type { Operation } from "./operation-log.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "operation-log-"));
  path = join(folder, "log.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true }));

const invoke: Operation = { type: "invoke", id: "1", sessionId: "s", nonce: "nonce-0000000000000000", input: "a\nb" };
const ok: Operation = { type: "ok", id: "1", sessionId: "s", runId: "r", seen: "finish" };

describe("OperationLog", () => {
  it("reads what several writers appended, in order", () => {
    new OperationLog(path).append(invoke);
    new OperationLog(path).append(ok);

    expect(new OperationLog(path).read()).toEqual([invoke, ok]);
  });

  it("keeps the operations of several processes that append at the same time", async () => {
    const file = new URL("./test/appending-child.ts", import.meta.url);
    const start = async (name: string) => await TestChild.start(file, { args: [path, name] });
    const children = await Promise.all(["a", "b", "c"].map(start));
    await Promise.all(children.map(async ({ exit }) => await exit));
    const ids = new OperationLog(path).read().map(({ id }) => id);

    expect(ids.filter((id) => id.startsWith("b-"))).toEqual(
      Array.from({ length: 300 }, (_none, index) => `b-${index}`),
    );
    expect(new Set(ids).size).toBe(900);
  });

  it("skips only the line that a killed writer left incomplete", () => {
    const log = new OperationLog(path);
    log.append(invoke);
    appendFileSync(path, '\n{"type":"ok","id":"2","sess');
    log.append(ok);

    expect(log.read()).toEqual([invoke, ok]);
  });
});
