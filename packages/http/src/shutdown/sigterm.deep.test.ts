import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  check,
  createNonce,
  dumpStorage,
  JournalStorage,
  OperationLog,
  recordSse,
  seededRandom,
  TestChild,
} from "@troupe-internal/testkit";
import type { RecordedStream } from "@troupe-internal/testkit";
import { expect, it, onTestFinished } from "vitest";

/** How often: a few in every check, many when somebody asks for it. */
const trials = Number(process.env["TROUPE_SIGTERM_TRIALS"] ?? 10);
const graceMs = 400;
/** What a service may take after its grace period. */
const afterGraceMs = 5000;
const clientCount = 20;

const isReady = (message: unknown): message is { port: number } =>
  typeof message === "object" && message !== null && "port" in message;

type Trial = { url: string; log: OperationLog; streams: RecordedStream[]; isOver: () => boolean };

/** One client, which asks in its own session until the service is gone: every other one reads streams. */
async function askOn(client: number, { url, log, streams, isOver }: Trial): Promise<void> {
  const sessionId = `s${client}`;
  const nonce = createNonce();
  for (let turn = 0; !isOver(); turn++) {
    const operation = { id: `${url} ${client} ${turn}`, sessionId };
    const input = `${nonce} question ${turn}`;
    log.append({ ...operation, type: "invoke", nonce, input });
    const mode = client % 2 === 0 ? "run" : "stream";
    try {
      const response = await fetch(`${url}/agents/a/${mode}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ input, sessionId }),
      });
      const runId = response.headers.get("x-run-id") ?? "";
      if (response.status !== 200) log.append({ ...operation, type: "info", runId });
      else if (mode === "run")
        log.append({ ...operation, type: "ok", runId, seen: "200", text: await textOf(response) });
      else {
        const stream = await recordSse(operation.id, response.body as AsyncIterable<Uint8Array>);
        streams.push(stream);
        const isWhole = (stream.chunks.at(-1) as { type?: string } | undefined)?.type === "finish";
        log.append({ ...operation, runId, ...(isWhole ? { type: "ok", seen: "finish" } : { type: "info" }) });
      }
    } catch {
      log.append({ ...operation, type: "info" });
      return;
    }
  }
}

async function textOf(response: Response): Promise<string> {
  return ((await response.json()) as { text: string }).text;
}

it(
  `ends with exit code 0 in time and leaves no half turn, told to end under load ${trials} times`,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "troupe-sigterm-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const random = seededRandom(20_262);
    let acknowledged = 0;
    for (let trial = 0; trial < trials; trial++) {
      const [journal, log] = [join(folder, `journal-${trial}`), new OperationLog(join(folder, `operations-${trial}`))];
      const file = new URL("./test/service-child.ts", import.meta.url);
      const child = await TestChild.start(file, { args: [journal, String(graceMs)] });
      const { port } = await child.next(isReady);
      let isOver = false;
      void child.exit.then(() => (isOver = true));
      const streams: RecordedStream[] = [];
      const load = { url: `http://127.0.0.1:${port}`, log, streams, isOver: () => isOver };
      const clients = Array.from({ length: clientCount }, (_, client) => askOn(client, load));

      // Some time after the first answers, whatever is going on then.
      await new Promise((resolve) => setTimeout(resolve, 300 + random() * 400));
      const startedAt = performance.now();
      const exit = await child.kill("SIGTERM");
      const tookMs = performance.now() - startedAt;
      await Promise.all(clients);
      await child.close();

      expect(exit, child.output.toString()).toEqual({ code: 0, signal: null });
      expect(tookMs).toBeLessThan(graceMs + afterGraceMs);
      const operations = log.read();
      const storage = await dumpStorage(new JournalStorage(journal));
      expect(check({ operations, exchanges: [], storage, streams })).toEqual([]);
      acknowledged += operations.filter(({ type }) => type === "ok").length;
    }
    expect(acknowledged).toBeGreaterThan(trials);
  },
  60_000 + trials * 15_000,
);
