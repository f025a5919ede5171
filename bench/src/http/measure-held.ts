import { StreamTrial } from "./stream-trial.ts";

/** Kilobytes of heap. */
export type HeldKilobytes = { stream: number; connection: number };

/** What an open stream holds in a server of ours, and what a connection does on which nothing is asked. */
export async function measureHeld(file: string, count = 1000): Promise<HeldKilobytes> {
  const trial = await StreamTrial.start(file);
  const growth = async (open: () => Promise<unknown>): Promise<number> => {
    const before = (await trial.held()).heapBytes;
    await open();
    const grown = (await trial.held()).heapBytes - before;
    await trial.cut();
    return grown / count / 1024;
  };
  try {
    // What the first ones leave behind is the server's for good, like compiled code.
    await growth(() => trial.open(count));
    const stream = await growth(() => trial.open(count));
    return { stream, connection: await growth(() => trial.connect(count)) };
  } finally {
    trial.stop();
  }
}
