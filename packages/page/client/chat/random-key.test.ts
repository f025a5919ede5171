import { expect, it, onTestFinished, vi } from "vitest";
import { randomKey } from "./random-key.ts";

it("a random key has 32 hexadecimal digits, also of small bytes", () => {
  onTestFinished(() => void vi.restoreAllMocks());
  vi.spyOn(crypto, "getRandomValues").mockImplementation((bytes) => {
    (bytes as Uint8Array).set(Uint8Array.from({ length: 16 }, (_, index) => index * 17));
    return bytes;
  });

  expect(randomKey()).toBe("00112233445566778899aabbccddeeff");
});
