import { InMemoryStorage } from "../../../sessions/storage/in-memory-storage.ts";
import { toDeliveryView } from "../delivery-record.ts";
import type { NotificationFormat } from "../notification-format.ts";
import { story, toldBy } from "./run-story.ts";
import { attemptAll, deliveriesIn, processOf, Receivers, running } from "./webhook-world.ts";

/** A process with a run that is performed, whose clock the test moves. */
export async function world(form?: NotificationFormat) {
  const storage = new InMemoryStorage();
  const clock = { now: 1_000_000 };
  const receivers = new Receivers();
  const open = () => processOf(storage, { now: () => clock.now, fetch: receivers.fetch, form });
  const of = open();
  await of.store.insert(running("r1"));
  await story.begin(of.store);
  const send = async (by = of) => await attemptAll(by, clock.now);
  const rows = async () => (await deliveriesIn(storage)).map(toDeliveryView);
  return { storage, clock, receivers, of, open, send, rows, told: () => toldBy(receivers.received) };
}

/** Plays the run to its end, and sends after each transition. */
export async function playAll({ of, clock, send }: Awaited<ReturnType<typeof world>>): Promise<void> {
  for (const step of [story.wait, story.goOn, story.end]) {
    await step(of.store);
    await new Promise(setImmediate);
    clock.now += 11_000;
    await send();
  }
}
