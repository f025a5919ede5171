import { describe, expect, it, vi } from "vitest";
import { readEvents } from "./read-events.ts";
import { clerk, mailing, performRun, serveRuns } from "./runs.ts";
import { servePage } from "./serve-page.ts";
import { getJson, hello, poets } from "./inspected-runs.ts";

describe("the routes of the inspector", () => {
  it("list the runs newest first, by pages and status [page.inspector-runs]", async () => {
    const runs = await poets();
    const ids: string[] = [];
    for (const owner of [{ userId: "ada" }, {}, { userId: "ben" }]) {
      ids.push(await performRun(runs, { ...hello, owner }));
      const since = Date.now();
      await vi.waitUntil(() => Date.now() > since + 1, { interval: 1 });
    }
    const origin = await servePage({ inspector: { runs } });
    await vi.waitUntil(async () => (await runs.list("host", { status: "completed" })).runs.length === 3);

    const first = await getJson(`${origin}/inspector/runs?limit=2`);
    const second = await getJson(`${origin}/inspector/runs?limit=2&after=${first.body.next}`);

    expect([...(first.body.runs ?? []), ...(second.body.runs ?? [])].map(({ runId }) => runId)).toEqual(
      ids.toReversed(),
    );
    expect(first.body).toMatchObject({ sees: "all", runs: [{ kind: "agent", name: "poet", status: "completed" }, {}] });
    expect((await getJson(`${origin}/inspector/runs?status=waiting`)).body.runs).toEqual([]);
    for (const query of [
      "?status=odd",
      "?limit=0",
      "?limit=x",
      "?after=..",
      "?colour=red",
      "?limit=1&limit=2",
      "?since=x",
      "?text=a&limit=0",
    ]) {
      expect((await getJson(`${origin}/inspector/runs${query}`)).status, query).toBe(400);
    }
  });

  it("tell of a run its input and, of a workflow, its steps [page.inspector-run]", async () => {
    const runs = await serveRuns({ workflows: { mailing: mailing() } });
    const runId = await performRun(runs, { kind: "workflow", name: "mailing", input: { count: 4 } });
    const origin = await servePage({ inspector: { runs } });

    const { body } = await getJson(`${origin}/inspector/runs/${runId}`);

    expect(body).toMatchObject({ run: { runId, kind: "workflow" }, input: { count: 4 } });
    expect(body.steps).toContainEqual({ name: "write", kind: "agent", within: "both", runnable: "poet" });
    for (const unknown of ["nothing", "..%2f..", "__proto__", "x".repeat(5000)]) {
      expect((await getJson(`${origin}/inspector/runs/${unknown}`)).status, unknown).toBe(404);
    }
  });

  it("send the events of a run, and go on behind the last one that a reader has [page.inspector-events]", async () => {
    const runs = await serveRuns({ agents: { clerk: clerk() } });
    const runId = await performRun(runs, { kind: "agent", name: "clerk", input: "Hello." });
    const origin = await servePage({ inspector: { runs } });
    const url = `${origin}/inspector/runs/${runId}/events`;

    const all = await readEvents(url);

    expect(all.map(({ event }) => event.type)).toEqual(
      expect.arrayContaining(["attempt", "wait", "call", "done", "text", "end"]),
    );
    expect(all.at(-1)?.event).toMatchObject({ type: "end", output: { text: "The letter is sent." } });
    for (const [index, { id }] of all.entries()) {
      expect(await readEvents(url, { "last-event-id": id })).toEqual(all.slice(index + 1));
    }
    expect(await readEvents(`${url}?after=${all[1]?.id}`)).toEqual(all.slice(2));
    expect((await getJson(`${url}?after=odd`)).status).toBe(400);
  });

  it("follow a run while it is under way, and let go of it when the reader leaves [page.inspector-events]", async () => {
    const runs = await serveRuns({ agents: { clerk: clerk() } });
    const { runId } = await runs.accept({ kind: "agent", name: "clerk", input: "Hello." });
    const origin = await servePage({ inspector: { runs } });
    const url = `${origin}/inspector/runs/${runId}/events`;
    const leaving = new AbortController();
    const left = await fetch(url, { signal: leaving.signal });
    const reading = readEvents(url);
    await vi.waitUntil(async () => (await runs.get(runId, "host")).status === "waiting");
    leaving.abort();
    await left.text().catch(() => undefined);

    await runs.answer(runId, "t.0.0", { approved: false, reason: "No letters today." }, "host");

    const events = await reading;
    expect(events.at(-1)?.event.type).toBe("end");
    expect(events.filter(({ event }) => event.type === "attempt")).toHaveLength(2);
  });

  it("change nothing: they answer no other method than GET and HEAD [page.inspector-reads]", async () => {
    const runs = await poets();
    const runId = await performRun(runs, hello);
    const origin = await servePage({ inspector: { runs } });

    for (const path of ["/inspector/runs", `/inspector/runs/${runId}`, `/inspector/runs/${runId}/events`]) {
      for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
        const response = await fetch(origin + path, { method });
        const status = method === "OPTIONS" ? 204 : 405;
        const allowed = "GET, HEAD, OPTIONS";
        expect([response.status, response.headers.get("allow")], `${method} ${path}`).toEqual([status, allowed]);
        await response.body?.cancel();
      }
      const head = await fetch(origin + path, { method: "HEAD" });
      expect([head.status, head.headers.get("cache-control")]).toEqual([200, "no-store"]);
    }
    expect((await runs.get(runId, "host")).status).toBe("completed");
  });
});
