import { describe, expect, it } from "vitest";
import { plainLine, toVisible } from "./unseen.ts";

const text = "photo\u202Egpj.exe\u0007\u200B\u00AD\u206A";

describe("characters that are not seen", () => {
  it("are spaces in a name", () => {
    expect(plainLine(text)).toBe("photo gpj.exe    ");
    expect(plainLine("two\nlines\tand tabs")).toBe("two lines and tabs");
  });

  it("are shown by their numbers in the inspector, but for lines and tabs", () => {
    expect(toVisible(`${text}\r\n\tend`)).toBe("photo\\u202egpj.exe\\u0007\\u200b\\u00ad\\u206a\\u000d\n\tend");
  });
});
