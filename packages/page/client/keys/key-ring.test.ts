import { describe, expect, it } from "vitest";
import { faultOfKey, KeyRing } from "./key-ring.ts";

/** A value that a browser stores, or refuses to. */
function stored(kept?: unknown, isStored = true) {
  const written: unknown[] = [];
  return {
    written,
    read: <Value>(isValid: (value: unknown) => value is Value) => (isValid(kept) ? kept : undefined),
    write: (value: unknown) => written.push(value) > 0 && isStored,
  };
}

describe("the keys", () => {
  it("are headers of their own vendors, and nothing of them is in the state", () => {
    const keys = new KeyRing(stored());
    keys.put("openai", "sk-1");
    keys.put("google", "g-1");
    keys.put("openai", undefined);

    expect(keys.headers()).toEqual({ "x-google-api-key": "g-1" });
    expect(keys.state).toEqual({ present: ["google"], isKept: false, isRefused: false });
  });

  it("are stored only while they are to be kept, and what is stored is removed at once", () => {
    const value = stored();
    const keys = new KeyRing(value);
    keys.put("openai", "sk-1");
    keys.keep(true);
    keys.put("anthropic", "a-1");
    keys.keep(false);

    expect(value.written).toEqual([undefined, { openai: "sk-1" }, { openai: "sk-1", anthropic: "a-1" }, undefined]);
    expect(keys.headers()).toEqual({ "x-openai-api-key": "sk-1", "x-anthropic-api-key": "a-1" });
  });

  it("are not said to be kept where the browser refuses to store them", () => {
    const keys = new KeyRing(stored(undefined, false));
    keys.put("openai", "sk-1");
    keys.keep(true);

    expect(keys.state).toEqual({ present: ["openai"], isKept: false, isRefused: true });
    expect(keys.headers()).toEqual({ "x-openai-api-key": "sk-1" });
    keys.keep(false);
    expect(keys.state).toMatchObject({ isKept: false, isRefused: false });
  });

  it("are read again when they were kept, and dropped when they have another form", () => {
    expect(new KeyRing(stored({ openai: "sk-1" })).headers()).toEqual({ "x-openai-api-key": "sk-1" });
    for (const wrong of [{ openai: "a b" }, { other: "x" }, { openai: 1 }, "sk-1", null]) {
      expect(new KeyRing(stored(wrong)).headers()).toEqual({});
    }
  });

  it("have neither spaces nor line breaks", () => {
    expect(faultOfKey("sk-1")).toBeUndefined();
    for (const wrong of ["", "a b", "a\nb", "ключ"]) expect(faultOfKey(wrong)).toMatch(/\.$/);
  });
});
