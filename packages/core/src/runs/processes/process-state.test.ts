import { expect, it } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { processStateOf } from "./service-parts.ts";

it("services over one storage share their writer and their attempts, and others do not", () => {
  const storage = new InMemoryStorage();
  const state = processStateOf(storage);
  const performing = { cancel: () => {}, done: Promise.resolve() };
  state.performing.set("r", performing);
  expect(processStateOf(storage)).toBe(state);
  expect(processStateOf(storage).performing.get("r")).toBe(performing);

  const other = processStateOf(new InMemoryStorage());
  expect(other.performing.size).toBe(0);
  expect(other.writer).not.toBe(state.writer);
});

it("the writer writes to the storage of its state", async () => {
  const storage = new InMemoryStorage();
  const log = processStateOf(storage).writer.open("r", 1);
  log.add({ t: "left", why: "released" }, true);
  await log.stored();
  expect(await storage.list("run-log")).toMatchObject([{ key: "r/000000000001" }]);
});
