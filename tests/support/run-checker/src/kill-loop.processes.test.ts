import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { check } from "./check.ts";
import type { Evidence } from "./evidence.ts";
import { createNonce } from "./nonce.ts";
import { OperationLog } from "./operation-log.ts";
import { dumpStorage } from "./evidence.ts";
import { FakeVendor, isObject, objectsIn } from "@troupe-internal/vendor-fakes";
import type { Exchange } from "@troupe-internal/vendor-fakes";
import { TcpProxy, killPoints, seededRandom, JournalStorage, TestChild } from "@troupe-internal/fault-tools";
import type { KillPoint } from "@troupe-internal/fault-tools";

type Answer = { answer: string; runId: string };
const isReady = (message: unknown): message is object => isObject(message) && "ready" in message;
const isAnswer = (message: unknown): message is Answer => isObject(message) && "answer" in message;

let folder: string;
let vendor: FakeVendor;
let proxy: TcpProxy;
let log: OperationLog;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "kill-loop-"));
  vendor = (await FakeVendor.start({ strict: true })).respond((exchange) => ({ answer: weatherTurn(exchange) }));
  proxy = await TcpProxy.start({ target: { host: "127.0.0.1", port: Number(new URL(vendor.url).port) } });
  log = new OperationLog(join(folder, "operations"));
});

afterEach(async () => {
  await proxy.close();
  await vendor.close();
  rmSync(folder, { recursive: true });
});

/** Returns a call of the weather tool first, and an answer after its result. */
function weatherTurn({ request }: Exchange) {
  const messages = objectsIn(isObject(request.body) ? request.body["messages"] : []);
  const id = `call-${messages.length}`;
  return messages.at(-1)?.["role"] === "tool" ? `answer ${messages.length}` : { toolCalls: [{ id, name: "weather" }] };
}

const session = { sessionId: "s", nonce: createNonce() };
let asked = 0;

/** Starts a service on the storage of the previous one. */
async function startService(manner = ""): Promise<TestChild> {
  const args = [join(folder, "journal"), proxy.url, manner];
  const child = await TestChild.start(new URL("./test/service-child.ts", import.meta.url), { args });
  await child.next(isReady);
  return child;
}

/** Sends one input and logs what the client sees. */
async function ask(child: TestChild): Promise<Answer | undefined> {
  asked += 1;
  const operation = { id: String(asked), sessionId: session.sessionId };
  const input = `${session.nonce} question ${asked}`;
  log.append({ ...operation, type: "invoke", nonce: session.nonce, input });
  const answer = child.next(isAnswer);
  child.send({ ask: input, sessionId: session.sessionId });
  try {
    const { answer: text, runId } = await answer;
    log.append({ ...operation, type: "ok", runId, seen: "200", text });
    return { answer: text, runId };
  } catch {
    log.append({ ...operation, type: "info" });
    return undefined;
  }
}

async function evidence(): Promise<Evidence> {
  const storage = await dumpStorage(new JournalStorage(join(folder, "journal")));
  return { operations: log.read(), exchanges: vendor.exchanges, storage };
}

const reachedBefore: Record<KillPoint, KillPoint[]> = {
  after_model: [],
  after_tool: ["after_model"],
  before_commit: ["after_model", "after_tool", "after_model"],
  after_commit: ["after_model", "after_tool", "after_model", "before_commit"],
  before_finish: ["after_model", "after_tool", "after_model", "before_commit", "after_commit"],
};

describe("a killed service", () => {
  it.each(killPoints)("ends exactly at %s, and its parent knows the kill points before", async (point) => {
    const child = await startService();
    const gone = child.killAt(point);
    const answer = await ask(child);
    const { storage } = await evidence();

    expect(await gone).toEqual({ code: null, signal: "SIGKILL" });
    expect(answer).toBeUndefined();
    expect(child.points).toEqual([...reachedBefore[point], point]);
    expect(storage.turns).toHaveLength(point === "after_commit" || point === "before_finish" ? 1 : 0);
    expect(check(await evidence())).toEqual([]);
    await child.close();
  });

  it("ends at the third occurrence of a kill point when that is asked for", async () => {
    const child = await startService();
    const gone = child.killAt("after_commit", 3);
    const answers = [await ask(child), await ask(child), await ask(child)];
    await gone;

    expect(answers.map((answer) => answer !== undefined)).toEqual([true, true, false]);
    expect((await evidence()).storage.turns).toHaveLength(3);
    await child.close();
  });

  it("violates no invariant over 50 kills at random moments", async () => {
    const random = seededRandom(20_261);
    let acknowledged = 0;
    for (let kill = 0; kill < 50; kill++) {
      const child = await startService();
      // Counted from an answer, so that the moments lie within turns on a slow machine too.
      for (let turn = Math.floor(random() * 3); turn > 0; turn--)
        acknowledged += (await ask(child)) === undefined ? 0 : 1;
      const gone = child.killAfter(random() * 40);
      while ((await ask(child)) !== undefined) acknowledged += 1;
      await gone;
      await child.close();
    }
    const violations = check(await evidence());

    expect(violations).toEqual([]);
    expect(acknowledged).toBeGreaterThan(10);
    expect(vendor.exchanges.filter(({ refusal }) => refusal !== undefined)).toEqual([]);
  });

  it("violates I1 when it answers before it commits", async () => {
    const child = await startService("hasty");
    await ask(child);
    await child.kill();
    await child.close();

    expect(check(await evidence())).toEqual([
      { invariant: "I1", message: expect.stringContaining("was acknowledged and is not in storage") },
    ]);
  });
});
