import { TroupeError } from "@troupe/core";
import { describe, expect, it, vi } from "vitest";
import { ask, revisions, serveScenes } from "../test/serve.ts";
import type { Received } from "../test/serve.ts";

type Served = Awaited<ReturnType<typeof serveScenes>>;

/** Returns the answer that approves the call of a tool for which a run waits. */
function approvalOf(events: readonly Received[]): object {
  const { outcome } = events.at(-1) as { outcome?: { interrupts: { id: string }[] } };
  const [interrupt] = outcome?.interrupts ?? [];
  return { resume: [{ interruptId: interrupt?.id, status: "resolved", payload: { approved: true } }] };
}

async function pay({ url }: Served): Promise<void> {
  const first = await ask(`${url}/agui/agents/payer`, "1.0.0");
  await ask(`${url}/agui/agents/payer`, "1.0.0", approvalOf(first));
}

describe("a run whose answer is over", () => {
  it.each<[string, (served: Served) => Promise<unknown>, number]>([
    ["completed", async ({ url }) => await ask(`${url}/agui/agents/drawer`, "1.0.0"), 1],
    ["failed", async ({ url }) => await ask(`${url}/agui/agents/failing`, "1.0.0"), 1],
    ["waited, and went on after its answer", pay, 2],
  ])("is released once it has %s, so that no shutdown waits for its client", async (_, send, count) => {
    const served = await serveScenes();
    await send(served);

    const counts = () => served.ends.map(({ mock }) => mock.calls.length);

    await vi.waitFor(() => expect(counts()).toEqual(Array(count).fill(1)), { timeout: 10_000 });
  });

  it("is released when its client leaves", async () => {
    const { url, ends } = await serveScenes();
    const abort = new AbortController();
    const body = { threadId: "th", runId: "r", messages: [{ id: "u", role: "user", content: "Hi." }] };
    const response = await fetch(`${url}/agui/agents/hanging`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: abort.signal,
    });
    expect(response.status).toBe(200);
    expect(ends.map(({ mock }) => mock.calls.length)).toEqual([0]);
    abort.abort();

    await vi.waitFor(() => expect(ends[0]?.mock.calls.length).toBe(1), { timeout: 10_000 });
  });
});

describe.each(revisions)("a failure to read the events of a run, as revision %s takes it", (revision) => {
  const lost = new TroupeError("storage_unavailable", "The storage is away.");

  it.each([0, 1, 2])("ends the answer with an error, behind %i events", async (behind) => {
    const { url, failNext } = await serveScenes();
    const payer = `${url}/agui/agents/payer`;
    const approval = approvalOf(await ask(payer, revision));
    failNext(behind, lost);
    const events = await ask(payer, revision, approval);

    expect(events[0]?.type).toBe("RUN_STARTED");
    expect(events.at(-1)).toMatchObject({ type: "RUN_ERROR", code: "storage_unavailable" });
  });
});
