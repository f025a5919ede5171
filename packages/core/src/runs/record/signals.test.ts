import { expect, it } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { putSignal } from "./signals.ts";

it("the inbox of a run takes a thousand signals to a run and no more, and still knows those again", async () => {
  const storage = new InMemoryStorage();
  const signal = (id: string) => ({ event: "paid", data: null, id, at: 1 });
  for (let count = 1; count <= 1000; count++) await putSignal(storage, "r", signal(`s${count}`));

  await expect(putSignal(storage, "r", signal("s1001"))).rejects.toMatchObject({ code: "limit_exceeded" });
  await putSignal(storage, "r", signal("s1000"));
  await putSignal(storage, "other", signal("s1001"));
  expect(await storage.list("run-inbox")).toHaveLength(1001);
});
