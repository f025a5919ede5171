import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mountSmallDisk } from "@troupe-internal/fault-tools";
import { check, createNonce, dumpStorage } from "@troupe-internal/run-checker";
import { FakeVendor } from "@troupe-internal/vendor-fakes";
import type { SmallDisk } from "@troupe-internal/fault-tools";
import type { Operation } from "@troupe-internal/run-checker";
import type { Exchange } from "@troupe-internal/vendor-fakes";
import { Agent, TroupeError } from "@troupe/core";
import { openai } from "@troupe/providers-openai";
import { SqliteStorage } from "@troupe/storage-sqlite";
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";

/** Returns an answer so long that a small disk is soon full. */
function answerAtLength({ request }: Exchange) {
  const question = /.*(Question \d+ of nonce-[0-9a-f]{16})/.exec(JSON.stringify(request.body))?.[1];
  return { answer: `${question}: ${"x".repeat(20_000)}` };
}

/** Sessions of an agent, and their operations. */
class Conversations {
  readonly operations: Operation[] = [];
  readonly sessions = Array.from({ length: 8 }, (_, index) => ({
    sessionId: `session-${index}`,
    nonce: createNonce(),
  }));
  readonly #agent: Agent;

  constructor(agent: Agent) {
    this.#agent = agent;
  }

  /** Asks in all sessions at once. Returns how each run ended. */
  async askAll(): Promise<string[]> {
    return await Promise.all(this.sessions.map(async (session) => await this.#ask(session)));
  }

  async #ask({ sessionId, nonce }: { sessionId: string; nonce: string }): Promise<string> {
    const id = String(this.operations.length);
    const input = `Question ${id} of ${nonce}`;
    this.operations.push({ id, sessionId, type: "invoke", nonce, input });
    try {
      const { text } = await this.#agent.run(input, { sessionId });
      this.operations.push({ id, sessionId, type: "ok", seen: "200", text });
      return "acknowledged";
    } catch (error) {
      this.operations.push({ id, sessionId, type: "fail" });
      return TroupeError.is(error) ? error.code : String(error);
    }
  }
}

let disk: SmallDisk | undefined;

beforeEach(({ skip }) => {
  disk = mountSmallDisk(process.env["REQUIRED_SERVICES"]);
  if (disk === undefined) skip("This process may not mount a tmpfs.");
});
afterEach(() => disk?.remove());

it("an agent on a full disk refuses turns it cannot store, keeps acknowledged ones, and goes on once there is space", async () => {
  const folder = disk?.folder ?? "";
  const ballast = join(folder, "ballast");
  writeFileSync(ballast, "x".repeat(1_000_000));
  const vendor = (await FakeVendor.start({ strict: true })).respond(answerAtLength);
  onTestFinished(async () => await vendor.close());
  const storage = new SqliteStorage(join(folder, "sessions.db"));
  onTestFinished(async () => await storage.close());
  const model = openai("gpt-4.1", { baseURL: `${vendor.url}/v1`, api: "chat", apiKey: "key" });
  const talks = new Conversations(new Agent({ name: "agent", model, storage, numHistoryRuns: 2 }));

  const ends: string[] = [];
  while (ends.length < 1000 && !ends.includes("storage_unavailable")) ends.push(...(await talks.askAll()));
  ends.push(...(await talks.askAll()));
  rmSync(ballast);
  const endsWithRoom = await talks.askAll();

  expect(new Set(ends)).toEqual(new Set(["acknowledged", "storage_unavailable"]));
  expect(ends.filter((end) => end === "acknowledged").length).toBeGreaterThan(16);
  expect(ends.slice(-8)).toContain("storage_unavailable");
  expect(endsWithRoom).toEqual(talks.sessions.map(() => "acknowledged"));
  const { operations } = talks;
  expect(check({ operations, exchanges: vendor.exchanges, storage: await dumpStorage(storage) })).toEqual([]);
});
