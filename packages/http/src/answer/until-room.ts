/** Waits until a reader has room for more or has left, but no longer than the run lasts: the next chunk tells which it was. */
export async function untilRoom(room: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const goOn = () => {
      signal.removeEventListener("abort", goOn);
      resolve();
    };
    signal.addEventListener("abort", goOn, { once: true });
    room.then(goOn, goOn);
  });
}
