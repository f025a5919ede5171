import { join } from "node:path";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { SqliteStorage } from "@troupe/storage-sqlite";
import { FakeVendor } from "@troupe-internal/vendor-fakes";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RunReader } from "./test/run-reader.ts";
import { DemoServers, post } from "./test/start-demo.ts";

/** Counting to it takes longer than the server waits for its runs when it ends. */
const far = 200;
const counted = Array.from({ length: far }, (_, index) => index + 1).join(" ");

type ShownRun = {
  runId: string;
  status: string;
  attempts: number;
  waits?: { waitId: string; kind: string; about: unknown }[];
  output?: { text: string };
};

let servers: DemoServers;
let url: string;

beforeEach(() => {
  servers = new DemoServers();
});

afterEach(async () => await servers.dispose());

async function start(variables?: Record<string, string>) {
  const demo = await servers.start(variables);
  ({ url } = demo);
  return demo;
}

async function ask(path: string, init?: RequestInit) {
  const response = await fetch(url + path, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, json: text === "" ? undefined : JSON.parse(text) };
}

/** Starts a run that waits for the approval of a booking. */
async function book(city: string, headers: Record<string, string> = {}): Promise<ShownRun> {
  const { status, json } = await ask("/agents/concierge/run", post({ input: `Book a room in ${city}.` }, headers));
  expect(status).toBe(202);
  return json as ShownRun;
}

async function readRun(runId: string): Promise<ShownRun> {
  return (await ask(`/runs/${runId}`)).json as ShownRun;
}

/** Reads an answer. A client that has seen text of the first attempt is told to read the run from its beginning. */
async function readWhole(response: Response, askAgain: () => Promise<Response>): Promise<RunReader> {
  const reader = await new RunReader().read(response);
  return reader.last?.error?.code === "interrupted" ? await new RunReader().read(await askAgain()) : reader;
}

/** Follows a run to its end, on a connection of its own. */
async function followToEnd(runId: string): Promise<ShownRun> {
  await new RunReader().read(await fetch(`${url}/runs/${runId}/events`));
  return await readRun(runId);
}

type McpResult = { task?: { taskId: string }; content?: { text: string }[] };

/** Sends a request of MCP's revision 2025-11-25, on a connection of its own, and returns its result. */
async function mcp(method: string, params: object): Promise<McpResult> {
  const headers = { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25" };
  const response = await fetch(`${url}/mcp`, post({ jsonrpc: "2.0", id: 1, method, params }, headers));
  const messages = (await response.text()).split("\n").flatMap((line) => {
    return line.startsWith("data: {") ? [JSON.parse(line.slice(6)) as { id?: number; result?: McpResult }] : [];
  });
  const answer = messages.find(({ id }) => id === 1);
  return answer?.result ?? {};
}

/** Returns the bookings of the demo's hotel. The server must have ended. */
async function bookings(): Promise<unknown[]> {
  const storage = new SqliteStorage(join(servers.folder, "data", "troupe.db"));
  const entries = await storage.list("demo-bookings");
  await storage.close();
  return entries.map(({ value }) => value);
}

describe("durable runs of the demo server", { timeout: 240_000 }, () => {
  it("a stream goes on after Ctrl-C and another start, without a gap and without a double", async () => {
    const first = await start();
    const { json } = await ask(
      "/agents/assistant/run",
      post({ input: `Count to ${far}` }, { prefer: "respond-async" }),
    );
    const { runId } = json as ShownRun;
    const path = `/runs/${runId}/events?events=all`;
    const reader = new RunReader();
    await reader.read(await fetch(url + path), () => reader.text.includes("10"));
    const onceMore = fetch(url + path, { headers: reader.position });

    first.child.kill("SIGINT");
    await reader.read(await onceMore);

    expect(reader.last).toMatchObject({ type: "error", error: { code: "interrupted" } });
    expect(await first.exit).toEqual([0, null]);
    await start();
    await reader.read(await fetch(url + path, { headers: reader.position }));

    expect(reader.last).toMatchObject({ type: "finish", finishReason: "stop" });
    expect(reader.text).toBe(counted);
    expect(new Set(reader.ids).size).toBe(reader.ids.length);
    expect(await readRun(runId)).toMatchObject({ status: "completed", attempts: 2, output: { text: counted } });
  });

  it("the same request with its Idempotency-Key is the same run after a crash, and another body is refused", async () => {
    const first = await start();
    const request = post({ input: "Count to 60" }, { "idempotency-key": "count-1" });
    const before = await fetch(`${url}/agents/assistant/stream`, request);
    const reader = new RunReader();
    await reader.read(before, () => reader.text.includes("10"));
    first.child.kill("SIGKILL");
    await first.exit;

    await start();
    const again = await fetch(`${url}/agents/assistant/stream`, request);
    const { text } = await readWhole(again, async () => await fetch(`${url}/agents/assistant/stream`, request));
    const other = await ask("/agents/assistant/stream", post({ input: "Hi" }, { "idempotency-key": "count-1" }));

    expect(again.headers.get("x-run-id")).toBe(before.headers.get("x-run-id"));
    expect(text).toBe(counted.slice(0, counted.indexOf(" 61")));
    expect(other).toMatchObject({ status: 422, json: { error: { code: "idempotency_mismatch" } } });
  });

  it("a booking waits for its approval over a restart, and is made once when another connection answers", async () => {
    const first = await start();
    const { runId, waits } = await book("Oslo");
    expect(waits).toMatchObject([{ waitId: "t.0.0", kind: "approval", about: { args: { city: "Oslo" } } }]);
    first.child.kill("SIGINT");
    expect(await first.exit).toEqual([0, null]);

    const second = await start();
    expect(await readRun(runId)).toMatchObject({ status: "waiting", waits });
    const path = `/runs/${runId}/answers/t.0.0`;
    const answers = [await ask(path, post({ approved: true })), await ask(path, post({ approved: true }))];
    const late = await ask(path, post({ approved: false }));
    const { output } = await followToEnd(runId);

    expect(answers.map(({ status }) => status)).toEqual([204, 204]);
    expect(late).toMatchObject({ status: 409, json: { error: { code: "conflict" } } });
    expect(output?.text).toMatch(/^Room \d{3} in Oslo is booked/);
    second.child.kill("SIGINT");
    await second.exit;
    expect(await bookings()).toMatchObject([{ city: "Oslo" }]);
  });

  it("a task of an MCP client goes on after a kill, and its result is got over another connection [mcp-server.task-survives]", async () => {
    const first = await start();
    const { task } = await mcp("tools/call", {
      name: "ask_concierge",
      arguments: { message: "Book a room in Oslo." },
      task: { ttl: 3_600_000 },
    });
    const taskId = String(task?.taskId);
    await expect.poll(async () => (await readRun(taskId)).status, { timeout: 30_000 }).toBe("waiting");
    expect(await mcp("tasks/get", { taskId })).toMatchObject({ status: "input_required" });
    await ask(`/runs/${taskId}/answers/t.0.0`, post({ approved: true }));
    first.child.kill("SIGKILL");
    await first.exit;

    const second = await start();
    const result = await mcp("tasks/result", { taskId });
    expect(result.content?.[0]?.text).toMatch(/^Room \d{3} in Oslo is booked/);
    expect(await mcp("tasks/get", { taskId })).toMatchObject({ status: "completed" });
    second.child.kill("SIGINT");
    await second.exit;
    expect(await bookings()).toMatchObject([{ city: "Oslo" }]);
  });

  it("a booking is made once, also when the server is killed right after the approval", async () => {
    const first = await start();
    const { runId } = await book("Oslo");
    await ask(`/runs/${runId}/answers/t.0.0`, post({ approved: true }));
    first.child.kill("SIGKILL");
    await first.exit;

    const second = await start();
    const { output } = await followToEnd(runId);
    second.child.kill("SIGINT");
    await second.exit;

    expect(output?.text).toMatch(/^Room \d{3} in Oslo is booked/);
    expect(await bookings()).toHaveLength(1);
  });

  it("an approval may change the arguments, and a denial books nothing", async () => {
    const { child, exit } = await start();
    const [changed, denied] = [await book("Oslo"), await book("Oslo")];
    await ask(`/runs/${changed.runId}/answers/t.0.0`, post({ approved: true, args: { city: "Bergen" } }));
    await ask(`/runs/${denied.runId}/answers/t.0.0`, post({ approved: false, reason: "The budget is spent." }));

    expect((await followToEnd(changed.runId)).output?.text).toMatch(/^Room \d{3} in Bergen is booked/);
    expect((await followToEnd(denied.runId)).output?.text).toContain("The budget is spent.");
    child.kill("SIGINT");
    await exit;
    expect(await bookings()).toMatchObject([{ city: "Bergen" }]);
  });

  it("a run that is cancelled while it waits takes no answer any more, and books nothing", async () => {
    const { child, exit } = await start();
    const { runId } = await book("Oslo");
    const cancelled = await ask(`/runs/${runId}/cancel`, { method: "POST" });
    const answer = await ask(`/runs/${runId}/answers/t.0.0`, post({ approved: true }));

    expect(cancelled.json).toMatchObject({ status: "cancelled" });
    expect(answer.status).toBe(409);
    expect(await readRun(runId)).toMatchObject({ status: "cancelled" });
    child.kill("SIGINT");
    await exit;
    expect(await bookings()).toEqual([]);
  });

  it("a run in the background is accepted at once, and its result is there later", async () => {
    await start();
    const { status, headers } = await ask(
      "/teams/travel-desk/run",
      post({ input: "What is the weather in Tokyo?" }, { prefer: "respond-async" }),
    );
    const path = headers.get("location") ?? "";

    expect(status).toBe(202);
    expect(headers.get("retry-after")).toBe("1");
    await expect.poll(async () => (await ask(path)).json).toMatchObject({ status: "completed" });
    expect((await ask(path)).json.output.text).toContain("In Tokyo it is 17 °C");
  });

  it("lists the runs of a user that wait, for that user alone", async () => {
    await start();
    const grace = { "x-demo-user": "grace" };
    const { runId } = await book("Paris", grace);

    expect((await ask("/runs?status=waiting", { headers: grace })).json.runs).toMatchObject([{ runId }]);
    expect((await ask("/runs?status=waiting", { headers: { "x-demo-user": "ada" } })).json.runs).toEqual([]);
    expect((await ask("/runs")).status).toBe(401);
    expect((await ask(`/runs/${runId}`)).status).toBe(404);
    expect((await ask(`/runs/${runId}/answers/t.0.0`, post({ approved: true }))).status).toBe(404);
  });

  it("keeps a caller's key sealed, and uses it after a restart", async () => {
    const key = "sk-canary-of-the-caller-77aa";
    const vendor = (await FakeVendor.start()).say({ toolCalls: [{ name: "book_room", arguments: { city: "Oslo" } }] });
    vendor.say("It is booked.");
    const variables = { TROUPE_DEMO_MODEL: "openai/gpt-4.1", TROUPE_DEMO_MODEL_URL: `${vendor.url}/v1` };
    const first = await start(variables);
    const { runId } = await book("Oslo", { "x-openai-api-key": key });
    first.child.kill("SIGINT");
    await first.exit;
    const data = join(servers.folder, "data");
    const stored = readdirSync(data).map((name) => readFileSync(join(data, name), "latin1"));

    await start(variables);
    await ask(`/runs/${runId}/answers/t.0.0`, post({ approved: true }));
    const { output } = await followToEnd(runId);
    await vendor.close();

    expect(output?.text).toBe("It is booked.");
    expect(vendor.exchanges.map((exchange) => exchange.key)).toEqual([key, key]);
    expect(stored.join("")).not.toContain(key);
    expect(statSync(join(data, "seal.key")).mode & 0o777).toBe(0o600);
  });
});
