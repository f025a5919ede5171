import { describe, expect, it } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { askingRunnable } from "./test/asking-runnable.ts";
import { makeService, readEvents, request, scriptedAgent, serveRuns, untilStatus } from "./test/services.ts";

describe("the note of a run", () => {
  it("is kept with the run, and changed without a loss beside the run's own changes [durable.note]", async () => {
    const storage = new InMemoryStorage();
    const service = await serveRuns({ agents: { a: scriptedAgent([{ text: "Hm." }]) }, storage });
    const { runId } = await service.accept({ ...request, note: { said: [0] } });
    const add = async (number: number): Promise<void> => {
      await service.changeNote(runId, "host", (note) => ({ said: [...(note as { said: number[] }).said, number] }));
    };
    await Promise.all([1, 2, 3, 4].map(add));
    await untilStatus(service, runId, "completed");
    await add(5);

    const { note } = await service.get(runId, "host");
    const { said } = note as { said: number[] };
    expect(new Set(said)).toEqual(new Set([0, 1, 2, 3, 4, 5]));
    expect(said).toHaveLength(6);
  });

  it("is refused when it is too long or no JSON, and is another user's to change never [durable.note]", async () => {
    const service = makeService({ agents: { a: scriptedAgent([]) } });
    const long = "x".repeat(262_144);
    await expect(service.accept({ ...request, note: long })).rejects.toMatchObject({ code: "invalid_request" });
    const { runId } = await service.accept({ ...request, owner: { userId: "ada" }, note: "short" });

    await expect(service.changeNote(runId, { userId: "ada" }, () => long)).rejects.toThrow("at most 262144 characters");
    await expect(service.changeNote(runId, { userId: "eve" }, () => "mine")).rejects.toMatchObject({
      code: "not_found",
    });
    expect((await service.get(runId, { userId: "ada" })).note).toBe("short");
  });
});

describe("the times of a run", () => {
  it("say when each attempt and each wait began, the same after a restart [durable.times]", async () => {
    const storage = new InMemoryStorage();
    const before = await serveRuns({ agents: { a: askingRunnable() }, storage });
    const started = Date.now();
    const { runId } = await before.accept(request);
    const { waits = [] } = await untilStatus(before, runId, "waiting");
    const [askedAt = 0] = waits.map((wait) => wait.askedAt);
    expect(askedAt).toBeGreaterThanOrEqual(started);
    expect(askedAt).toBeLessThanOrEqual(Date.now());
    await before.close();

    const after = await serveRuns({ agents: { a: askingRunnable() }, storage });
    await after.answer(runId, "t.0.0", { approved: true }, "host");
    const events = await readEvents(after, runId);

    const [first = 0, second = 0] = events.flatMap((event) => (event.type === "attempt" ? [event.at] : []));
    expect(first).toBeGreaterThanOrEqual(started);
    expect(second).toBeGreaterThanOrEqual(askedAt);
    expect(events.find(({ type }) => type === "wait")).toMatchObject({ wait: { askedAt } });
    expect(await readEvents(after, runId)).toEqual(events);
  });
});
