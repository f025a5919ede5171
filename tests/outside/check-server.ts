/** A model, or its vendor, that answers in words and notes when its calls are aborted. */
export interface WatchedModel {
  words: number;
  chunkDelayMs: number;
  onAbort: () => void;
}

/** What a server under test did wrong, and how soon the model's call ended with its client. */
export type Found = { cases: number; faults: string[]; leftMs: number };

/** Checks the answers and streams of a service with an agent `a`, and what becomes of clients that leave. */
export async function checkServer(url: string, watched: WatchedModel): Promise<Found> {
  const faults: string[] = [];
  const expect = (isTrue: boolean, fault: string): void => void (isTrue || faults.push(fault));
  const post = async (path: string, body: unknown, signal?: AbortSignal): Promise<Response> => {
    const headers = { "content-type": "application/json" };
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return await fetch(url + path, { method: "POST", headers, body: text, ...(signal && { signal }) });
  };

  const run = await post("/agents/a/run", { input: "Grüße 👋" });
  expect(run.status === 200 && (await run.text()).includes("word word word"), `run: status ${run.status}`);
  const stream = await post("/agents/a/stream", { input: "Hi" });
  const events = await stream.text();
  expect(stream.headers.get("content-type")?.startsWith("text/event-stream") === true, "stream: another type");
  expect(/"type":"finish"/.test(events), `stream: no end in ${events.slice(-200)}`);
  const refused = async (path: string, body: unknown, status: number): Promise<void> => {
    const answer = await post(path, body).catch(() => Response.error());
    const json = (await answer.json().catch(() => undefined)) as { error?: { code?: string } } | undefined;
    expect(
      answer.status === status && json?.error?.code !== undefined,
      `${path}: status ${answer.status}, not ${status}`,
    );
  };
  await refused("/agents/nobody/run", { input: "Hi" }, 404);
  await refused("/agents/a/run", "{", 400);
  await refused("/agents/a/run", { input: 7 }, 400);
  expect((await fetch(`${url}/health`)).status === 200, "health");
  const leftMs = await leave(post, watched, expect);
  // Last: some servers close the connection behind it without saying so.
  await refused("/agents/a/run", { input: "x".repeat(2_000_000) }, 413);
  return { cases: 17, faults, leftMs };
}

type Post = (path: string, body: unknown, signal?: AbortSignal) => Promise<Response>;

/** Leaves ten streams in their middle, and returns the median of the milliseconds until the model's call was aborted. */
async function leave(post: Post, watched: WatchedModel, expect: (isTrue: boolean, fault: string) => void) {
  Object.assign(watched, { words: 1000, chunkDelayMs: 5 });
  const taken: number[] = [];
  for (let count = 0; count < 10; count++) {
    const left = new AbortController();
    const aborted = Promise.withResolvers<void>();
    watched.onAbort = aborted.resolve;
    const stream = await post("/agents/a/stream", { input: "Hi" }, left.signal);
    await stream.body?.getReader().read();
    const start = performance.now();
    left.abort();
    const timer = setTimeout(() => aborted.reject(new Error("late")), 5000);
    await aborted.promise.then(
      () => taken.push(performance.now() - start),
      () => expect(false, "a client that leaves does not end the model's call"),
    );
    clearTimeout(timer);
  }
  const sorted = taken.toSorted((one, other) => one - other);
  return Math.round((sorted[Math.floor(sorted.length / 2)] ?? Number.NaN) * 10) / 10;
}
