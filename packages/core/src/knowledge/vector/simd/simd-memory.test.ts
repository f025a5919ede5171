import { expect, it, onTestFinished, vi } from "vitest";
import { SimdMemory } from "./simd-memory.ts";

function withWebAssembly(wasm: unknown): void {
  vi.stubGlobal("WebAssembly", wasm);
  onTestFinished(() => void vi.unstubAllGlobals());
}

it("SimdMemory begins empty", () => {
  expect(SimdMemory.create()?.floats).toHaveLength(0);
});

it("SimdMemory is not there in a process without WebAssembly", () => {
  withWebAssembly(undefined);
  expect(SimdMemory.create()).toBeUndefined();
});

it.each(["Memory", "Module", "Instance"])("SimdMemory is not there where WebAssembly refuses its %s", (part) => {
  const { WebAssembly: wasm } = globalThis as unknown as { WebAssembly: Record<string, unknown> };
  const refusing = function refuse(): never {
    throw new RangeError("Refused.");
  };
  const { Memory, Module, Instance } = wasm;
  withWebAssembly({ Memory, Module, Instance, [part]: refusing });
  expect(SimdMemory.create()).toBeUndefined();
});

it("SimdMemory asks for whole pages of 64 KiB, and keeps memories apart", () => {
  const [one, other] = [SimdMemory.create(), SimdMemory.create()];
  one?.grow(1);
  expect([one?.floats.length, other?.floats.length]).toEqual([16_384, 0]);
});
