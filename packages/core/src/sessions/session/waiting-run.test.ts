import { expect, it } from "vitest";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { SessionStore } from "./session-store.ts";
import { appendAll } from "./test/turns.ts";

/** A store with a session `s`, in which a run waits. Its cancel says whether the run is over. */
async function waitedSession(cancel: (store: SessionStore, cancels: number) => boolean) {
  const store = new SessionStore(new InMemoryStorage());
  await appendAll(store, ["one"]);
  await store.noteWait("s", "r1");
  let cancels = 0;
  store.addListener({
    cancelWaiting: async () => {
      cancels += 1;
      if (cancels > 10) throw new Error("It is asked again and again.");
      return cancel(store, cancels);
    },
  });
  return { store, cancels: () => cancels };
}

it("a run that takes the place of one that waits lets the event loop turn until that one is over", async () => {
  const { store, cancels } = await waitedSession((own, count) => {
    if (count === 1) setImmediate(() => void own.endWait("s", "r1"));
    return false;
  });

  (await store.open("s", { onWaiting: "cancel" })).release();

  expect(cancels()).toBe(1);
});

it("a run that takes the place of one that is over needs no word from it in the session", async () => {
  const { store, cancels } = await waitedSession(() => true);

  (await store.open("s", { onWaiting: "cancel" })).release();

  expect(cancels()).toBe(1);
  (await store.open("s")).release();
});
