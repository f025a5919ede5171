import { describe, expect, it } from "vitest";
import { turnStep } from "../agent/run-session.ts";
import { openJournal } from "../journal/test/journals.ts";
import { testRun } from "../run/test/test-run.ts";
import { SessionStore } from "../../sessions/session/session-store.ts";
import { turnNamed } from "../../sessions/session/test/turns.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { faultyStorage } from "../../testing/faulty-storage.ts";
import { restoreMemberTurns } from "./member-step.ts";

describe("the sessions of members that end with the run", () => {
  /** An attempt at the run after one in which members have stored turns, by step and session. */
  async function nextAttempt(turns: readonly (readonly [scope: string, sessionId: string, text: string])[]) {
    const storage = new InMemoryStorage();
    const first = await openJournal(storage);
    for (const [scope, sessionId, text] of turns) {
      first
        .part(scope)
        .begin(turnStep)
        .done({ sessionId, turn: turnNamed(text) });
    }
    await first.flush();
    return { first, second: await openJournal(storage) };
  }

  async function textsIn(storage: InMemoryStorage, sessionId: string, userId?: string) {
    const owner = userId === undefined ? {} : { userId };
    const { turns } = await new SessionStore(storage).readTurns(sessionId, { owner });
    return turns.map(({ runId }) => runId);
  }

  it("are rebuilt from all turns in their order, each session with its own", async () => {
    const { second } = await nextAttempt([
      ["t/0/0/run/c0", "s#ann", "one"],
      ["t/0/1/run/c0", "s#bob", "two"],
      ["t/1/0/run/c0", "s#ann", "three"],
    ]);
    const storage = new InMemoryStorage();
    await restoreMemberTurns(testRun({ steps: second, sessionId: "s" }), storage);

    expect(await textsIn(storage, "s#ann")).toEqual(["one", "three"]);
    expect(await textsIn(storage, "s#bob")).toEqual(["two"]);
  });

  it("belong to the user of the run, and are let go", async () => {
    const { second } = await nextAttempt([["t/0/0/run/c0", "s#ann", "one"]]);
    const storage = new InMemoryStorage();
    await restoreMemberTurns(testRun({ steps: second, sessionId: "s", userId: "ada" }), storage);

    expect(await textsIn(storage, "s#ann", "ada")).toEqual(["one"]);
    await expect(textsIn(storage, "s#ann")).rejects.toMatchObject({ code: "not_found" });
    // Refused while the session is held.
    await new SessionStore(storage).deleteSession("s#ann", { owner: { userId: "ada" } });
  });

  it("are let go also where a turn cannot be put back", async () => {
    const { second } = await nextAttempt([["t/0/0/run/c0", "s#ann", "one"]]);
    const inner = new InMemoryStorage();
    let isFailing = true;
    const storage = faultyStorage(inner, ({ args }) => (isFailing && args[0] === "turns" ? "fail-before" : undefined));
    const run = testRun({ steps: second, sessionId: "s" });
    await expect(restoreMemberTurns(run, storage)).rejects.toMatchObject({ code: "storage_unavailable" });
    isFailing = false;
    const again = restoreMemberTurns(run, storage).then(() => "put back");
    const patience = (async () => {
      for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
      return "waits for the session";
    })();

    expect(await Promise.race([again, patience])).toBe("put back");
    expect(await textsIn(inner, "s#ann")).toEqual(["one"]);
  });

  it("are not touched in a first attempt, in a run that is not durable, or where no member has stored a turn", async () => {
    const { first } = await nextAttempt([["t/0/0/run/c0", "s#ann", "one"]]);
    const { second } = await nextAttempt([]);
    const storage = new InMemoryStorage();
    for (const run of [testRun({ steps: first }), testRun(), testRun({ steps: second })]) {
      await restoreMemberTurns(run, storage);
    }
    expect(await storage.list("sessions")).toEqual([]);
    expect(await storage.list("turns")).toEqual([]);
  });
});
