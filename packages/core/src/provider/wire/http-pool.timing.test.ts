import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { startPooled } from "../../../test/pooled.ts";

const mebibyte = 1_048_576;

it("HttpPool applies backpressure for a slow reader without an idle timeout", async () => {
  const piece = Buffer.alloc(65_536);
  let written = 0;
  const { send, url } = await startPooled(
    async (_, response) => {
      for (; written < 64 * mebibyte; written += piece.length) {
        if (!response.write(piece)) await once(response, "drain");
      }
      response.end();
    },
    { idleTimeoutMs: 200 },
  );

  const response = await send(url);
  await vi.waitFor(async () => {
    const before = written;
    await sleep(100);
    expect(written).toBe(before);
  });
  await sleep(1000);

  expect(written).toBeLessThan(16 * mebibyte);
  let length = 0;
  for await (const bytes of response.bytes) length += bytes.length;
  expect(length).toBe(64 * mebibyte);
});
