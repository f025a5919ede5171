import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { OtlpReceiver } from "../test/otlp-receiver.ts";

const program = join(import.meta.dirname, "../test/killed-node.ts");

function startNode(...given: string[]): ChildProcess {
  return spawn(process.execPath, ["--conditions=@troupe/source", program, ...given], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** Resolves with the first line of a process that fits. */
async function lineOf(node: ChildProcess, form: RegExp): Promise<string> {
  if (node.stdout === null) throw new Error("The process has no output.");
  for await (const line of createInterface({ input: node.stdout })) if (form.test(line)) return line;
  throw new Error("The process has ended.");
}

describe("a durable run whose node is killed in the middle of a tool call", () => {
  it("is one trace over both nodes, in which only the attempt that died and its open call have no end", async () => {
    const folder = await mkdtemp(join(tmpdir(), "troupe-otel-"));
    const receiver = await OtlpReceiver.start();
    try {
      const first = startNode(receiver.url, join(folder, "runs.db"), "first");
      await lineOf(first, /^hanging$/);
      first.kill("SIGKILL");
      await new Promise((resolve) => first.once("exit", resolve));
      const second = startNode(receiver.url, join(folder, "runs.db"), "second");
      const usage = JSON.parse(await lineOf(second, /^\{/)) as { promptTokens: number };

      const { spans } = receiver;
      expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
      expect(spans.map(({ name }) => name).toSorted()).toEqual([
        "accept_run helper",
        "chat scripted-1",
        "chat scripted-1",
        "chat scripted-1",
        "execute_tool quick",
        "execute_tool slow",
        "invoke_agent helper",
      ]);
      // The spans without a parent among those that have arrived are those of the attempt that died.
      const ids = new Set(spans.map(({ spanId }) => spanId));
      const orphans = new Set(
        spans.flatMap(({ parentSpanId: parent }) =>
          parent === undefined || parent === "" || ids.has(parent) ? [] : [parent],
        ),
      );
      const [attempt] = spans.filter(({ name }) => name === "invoke_agent helper");
      expect(attempt?.attributes["troupe.attempt"]).toBe(2);
      expect(attempt?.links.map(({ spanId }) => spanId)).toEqual([...orphans]);
      const tokens = spans.map(({ attributes }) => Number(attributes["gen_ai.usage.input_tokens"] ?? 0));
      expect(tokens.reduce((sum, each) => sum + each, 0)).toBe(usage.promptTokens);
    } finally {
      await receiver.close();
      await rm(folder, { recursive: true });
    }
  });
});
