import { describe, expect, it } from "vitest";
import { faultOfKey, KeyRing } from "./key-ring.ts";

/** A place of a browser, with what is in it. */
function place(kept?: unknown) {
  const written: unknown[] = [];
  return {
    written,
    read: <Value>(isValid: (value: unknown) => value is Value) => (isValid(kept) ? kept : undefined),
    write: (value: unknown) => void written.push(value),
  };
}

describe("the keys", () => {
  it("are headers of their own vendors, and nothing of them is in the state", () => {
    const keys = new KeyRing(place());
    keys.put("openai", "sk-1");
    keys.put("google", "g-1");
    keys.put("openai", undefined);

    expect(keys.headers()).toEqual({ "x-google-api-key": "g-1" });
    expect(keys.state).toEqual({ present: ["google"], isKept: false });
  });

  it("are stored only while they are to be kept, and what is stored is removed at once", () => {
    const shelf = place();
    const keys = new KeyRing(shelf);
    keys.put("openai", "sk-1");
    keys.keep(true);
    keys.put("anthropic", "a-1");
    keys.keep(false);

    expect(shelf.written).toEqual([undefined, { openai: "sk-1" }, { openai: "sk-1", anthropic: "a-1" }, undefined]);
    expect(keys.headers()).toEqual({ "x-openai-api-key": "sk-1", "x-anthropic-api-key": "a-1" });
  });

  it("are read again when they were kept, and dropped when they have another form", () => {
    expect(new KeyRing(place({ openai: "sk-1" })).headers()).toEqual({ "x-openai-api-key": "sk-1" });
    for (const wrong of [{ openai: "a b" }, { other: "x" }, { openai: 1 }, "sk-1", null]) {
      expect(new KeyRing(place(wrong)).headers()).toEqual({});
    }
  });

  it("have neither spaces nor line breaks", () => {
    expect(faultOfKey("sk-1")).toBeUndefined();
    for (const wrong of ["", "a b", "a\nb", "ключ"]) expect(faultOfKey(wrong)).toMatch(/\.$/);
  });
});
