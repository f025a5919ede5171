import { expect, it, onTestFinished, vi } from "vitest";
import { Memory } from "../memory/memory.ts";
import { SharedStorage } from "../../sessions/storage/test/shared-storage.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { scripted } from "./test/agents.ts";

/** An agent of one of the processes that share a storage. */
function startProcess(storage: InMemoryStorage, answers: readonly string[]) {
  const own = new SharedStorage(storage);
  const memory = new Memory();
  const { agent } = scripted([...answers], { storage: own, memory, sessionId: "s" });
  return { own, memory, agent };
}

it.each([
  ["get", 4, "about to look at"],
  ["compareAndSet", 3, "about to write"],
])(
  "Agent takes each turn into the memory once and in order when a process was stopped at its %s number %i, %s the memory",
  async (method, occurrence) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const storage = new InMemoryStorage();
    const [one, other] = [startProcess(storage, ["A1", "A2"]), startProcess(storage, ["B1"])];
    await one.agent.run("a1");
    await vi.advanceTimersByTimeAsync(1);
    one.own.stopAt(method, occurrence);
    const late = one.agent.run("a2");
    await vi.waitFor(() => expect(one.own.isStopped).toBe(true));
    expect(await storage.list("turns")).toHaveLength(2);

    const overtaking = other.agent.run("b1");
    await vi.advanceTimersByTimeAsync(20_000);
    await overtaking;
    one.own.goOn();
    expect((await late).text).toBe("A2");
    await vi.advanceTimersByTimeAsync(20_000);

    const said = (await other.memory.getMessages("s")).map(({ content }) => content);
    expect(said).toEqual(["a1", "A1", "a2", "A2", "b1", "B1"]);
  },
);
